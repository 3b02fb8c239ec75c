"""Human in the loop: questions of interrupted runs, who may decide them, and what becomes of them."""
