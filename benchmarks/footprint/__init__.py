"""What a runtime takes: of the disk after a dbt build, and of memory, by process, while a view is maintained; and
the state of an UPSERT source."""

from .disk import DiskResult, run_disk
from .processes import ProcessesResult, run_processes
from .upserts import UpsertResult, run_upserts

__all__ = ["DiskResult", "ProcessesResult", "UpsertResult", "run_disk", "run_processes", "run_upserts"]
