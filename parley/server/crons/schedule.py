"""When a schedule of five fields comes next, in the time zone of whoever wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from parley.server.http_errors import invalid

_LONGEST = 200
_FIELDS = 5


def next_time(schedule: str, timezone: str | None, after: float, until: float | None = None) -> float | None:
    """The first time after `after`, None where there is none, or none before `until`. Raises Problem.

    An hour that the clock goes through twice counts once for a schedule that names its hours.
    """
    if len(schedule) > _LONGEST:
        raise invalid(f"schedule: longer than {_LONGEST} characters.")
    zone = _zone(timezone)
    # Most servers have no cron.
    from cronsim import CronSim, CronSimError

    try:
        # With a sixth field servers disagree: some take it for seconds at the beginning, some at the end.
        if len(schedule.split()) != _FIELDS:
            raise CronSimError(f"it has not {_FIELDS} fields")
        coming = (each.timestamp() for each in CronSim(schedule, datetime.fromtimestamp(after, zone)))
        # In the hour that comes again, the first that is found may be of the hour before.
        at = next((each for each in coming if each > after), None)
    except CronSimError as error:
        raise invalid(
            f"schedule: {schedule!r} is no schedule ({error}); write minute, hour, day, month and weekday, "
            'such as "30 8 * * 1-5".'
        ) from error
    return None if at is None or (until is not None and at >= until) else at


def _zone(name: str | None) -> tzinfo:
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError) as error:
        raise invalid(f'timezone: {name[:100]!r} is unknown; write one such as "Europe/Berlin".') from error
