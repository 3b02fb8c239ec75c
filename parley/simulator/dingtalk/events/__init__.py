"""How events reach the robot: the gateway of Stream mode and what it pushes."""
