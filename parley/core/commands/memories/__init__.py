"""What `/memory` does beyond showing and forgetting: edits, why, import and export, and a team's memory."""
