"""What a runtime takes: of the disk after a dbt build, and of memory, by process, while a view is maintained."""

from .disk import DiskResult, run_disk
from .processes import ProcessesResult, run_processes

__all__ = ["DiskResult", "ProcessesResult", "run_disk", "run_processes"]
