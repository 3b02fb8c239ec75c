"""What stands under answers to be pressed: options of questions, thumbs, suggestions."""
