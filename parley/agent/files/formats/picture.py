"""Pictures as models take them: checked, and made smaller where they are too large."""

from __future__ import annotations

import io

from PIL import Image, ImageOps, UnidentifiedImageError

from .result import ReadRefused, Result

_PICTURES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
_READABLE = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_MOST_PIXELS = 100_000_000
_MOST_PICTURE = 3_500_000
_LONGEST_SIDE = 8_000
_SHRUNK_SIDE = 2_048

Image.init()
Image.MAX_IMAGE_PIXELS = _MOST_PIXELS // 2  # Twice this is refused.


def read(content: bytes, most: int) -> Result:
    """Return a picture as it is, or a smaller one; `most` is for texts."""
    try:
        image = Image.open(io.BytesIO(content), formats=_READABLE)
        fits = len(content) <= _MOST_PICTURE and max(image.size) <= _LONGEST_SIDE
        if not fits:
            image.draft("RGB", (_SHRUNK_SIDE, _SHRUNK_SIDE))  # A large JPEG is never unpacked whole.
        image.load()
    except Image.DecompressionBombError as error:
        raise ReadRefused("too_large") from error
    except UnidentifiedImageError as error:
        raise ReadRefused("broken") from error
    if fits and image.format in _PICTURES:
        return _PICTURES[image.format], content
    image.thumbnail((_SHRUNK_SIDE, _SHRUNK_SIDE))
    ImageOps.exif_transpose(image, in_place=True)
    return _saved(image)


def _saved(image: Image.Image) -> Result:
    file = io.BytesIO()
    if image.has_transparency_data:
        image.convert("RGBA").save(file, "PNG")
        return "image/png", file.getvalue()
    image.convert("RGB").save(file, "JPEG", quality=85)
    return "image/jpeg", file.getvalue()
