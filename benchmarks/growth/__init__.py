"""What a store costs as it grows: written by the real code, multiplied in SQL, measured on both engines."""
