"""Learning from turns: the queue, its worker, and the pipeline from an extraction to a saved memory."""
