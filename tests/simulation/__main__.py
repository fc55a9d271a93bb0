"""`python -m tests.simulation --seeds 0:20000 --jobs 2`: runs seeds, and prints those that break something."""

from __future__ import annotations

import argparse
import gc
import hashlib
import logging
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1]))

from .simulation import Profile, Result, run, run_all

BLOCK = 25


def block(seeds: range) -> list[Result]:
    gc.freeze()  # what was imported is not looked at again
    return run_all(seeds)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seeds", default="0:1000", help="FIRST:END")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--trace", action="store_true", help="prints what happens")
    parser.add_argument(
        "--digest", action="store_true", help="prints a digest of what happens, for each seed"
    )
    parser.add_argument("--most", type=int, default=50, help="stop after so many seeds with violations")
    options = parser.parse_args()
    first, _, end = options.seeds.partition(":")
    seeds = range(int(first), int(end or int(first) + 1))
    if options.trace:
        logging.basicConfig(level=logging.INFO)
        for seed in seeds:
            result = run(seed, Profile(), traced=True, logged=True)
            print(*result.trace, sep="\n")
        return 0
    if options.digest:
        for seed in seeds:
            trace = "\n".join(run(seed, Profile(), traced=True).trace)
            print(seed, hashlib.sha256(trace.encode()).hexdigest())
        return 0
    began = monotonic()
    found, ran, statements, processes = 0, 0, 0, 0
    on_loop: Counter[str] = Counter()
    blocks = [seeds[i : i + BLOCK] for i in range(0, len(seeds), BLOCK)]
    with ProcessPoolExecutor(options.jobs) as pool:
        for results in pool.map(block, blocks):
            for result in results:
                ran += 1
                statements += result.statements
                processes += result.processes
                on_loop.update(result.on_loop)
                if result.violations:
                    found += 1
                    print(f"seed {result.seed}: {result.violations[0]}", flush=True)
            if not ran % 1000:
                print(f"{ran} seeds, {found} with violations", flush=True)
            if found >= options.most:
                pool.shutdown(cancel_futures=True)
                break
    seconds = monotonic() - began
    print(
        f"{ran} seeds, {statements} statements, {processes} processes in {seconds:.1f} s"
        f" ({1000 * seconds / max(ran, 1):.1f} ms each): {found} seeds with violations"
    )
    print(f"calls of the store on the loop: {dict(on_loop)}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
