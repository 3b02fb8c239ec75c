"""Text of each kind of file: loaded by sandbox_main.py alone, without Parley, before a file is looked at."""
