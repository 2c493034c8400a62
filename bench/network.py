#!/usr/bin/env python3
"""The paper's conv net: driftline against PyTorch and Keras on this machine, in one sitting.

    bench/network.py [--processes 5] [--quick]

Builds the program, makes a virtual environment under target/, installs PyTorch and TensorFlow from PyPI into it, then runs
every candidate in processes of its own, in turn, and prints medians and ratios. Leave the machine otherwise idle.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "bench-venv"
FRAMEWORKS = Path(__file__).resolve().parent / "frameworks.py"
BATCHES, THREADS = (32, 256), (1, 2)
CANDIDATES = ("keras", "torch-eager", "torch-tuned")


def python():
    """The environment's interpreter, made on first use."""
    executable = FOLDER / "bin" / "python"
    marker = FOLDER / "installed"
    if not marker.exists():
        venv.create(FOLDER, with_pip=True)
        packages = ["torch", "tensorflow", "numpy"]
        subprocess.run([executable, "-m", "pip", "install", "--quiet", *packages], check=True)
        marker.touch()
    return executable


def measure(command, threads):
    variables = {"OMP_NUM_THREADS": str(threads), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{") :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one process each, to try the script")
    arguments = parser.parse_args()
    processes = 1 if arguments.quick else arguments.processes

    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "driftline-cli"], cwd=ROOT, check=True)
    program = ROOT / "target" / "release" / "driftline"
    interpreter = python()
    print(f"load before: {os.getloadavg()[0]:.2f}; medians of {processes} processes; images per second\n")
    print("| batch | threads | candidate | training | ours/it | inference | ours/it | share of peak |")
    print("|---|---|---|---|---|---|---|---|")
    for batch in BATCHES:
        for threads in THREADS:
            bench = [program, "bench", "network", "--threads", threads, "--batch", batch, "--json"]
            commands = {"driftline": [str(part) for part in bench]}
            for isa in ("avx2", "portable"):
                commands[f"driftline {isa}"] = commands["driftline"] + ["--isa", isa]
            for candidate in CANDIDATES:
                commands[candidate] = [interpreter, FRAMEWORKS, candidate, str(batch), str(threads)]
            runs = {name: [] for name in commands}
            for _ in range(processes):
                for name, command in commands.items():
                    runs[name].append(measure(command, threads))
            median = lambda name, key: statistics.median(run[key] for run in runs[name])
            train, infer = "train_images_per_second", "inference_images_per_second"
            for name in commands:
                share = f"{median(name, 'share_of_peak'):.1%}" if name.startswith("driftline") else ""
                print(
                    f"| {batch} | {threads} | {name} | {median(name, train):,.0f} "
                    f"| {median('driftline', train) / median(name, train):.2f} | {median(name, infer):,.0f} "
                    f"| {median('driftline', infer) / median(name, infer):.2f} | {share} |",
                    flush=True,
                )
    print(f"\nload after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
