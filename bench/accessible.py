#!/usr/bin/env python3
"""Looks at report pages in headless Chromium: axe-core's accessibility rules in light and dark, at three widths, and the size.

    bench/accessible.py REPORT.html [REPORT.html ...] [--axe axe.min.js] [--shots FOLDER]

axe-core comes from npm (`npm pack axe-core`) into a temporary folder unless its script is given; nothing of it is kept.
Exit code 1 where a rule is violated or a page has more than 300 kB.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

WIDTHS = (360, 800, 1280)
MOST = 300_000
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1",
]
RUN = """<script>
axe.run(document, {resultTypes: ['violations']}).then(found => {
  const told = found.violations.map(v => ({rule: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map(n => n.html.slice(0, 160))}));
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const note = document.createElement('script');
  note.type = 'application/json'; note.id = 'told';
  note.textContent = JSON.stringify({violations: told, passes: found.passes.length, wide});
  document.body.append(note);
});
</script>"""


def axe(folder):
    subprocess.run(["npm", "pack", "axe-core", "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    archive = next(pathlib.Path(folder).glob("axe-core-*.tgz"))
    with tarfile.open(archive) as files:
        return files.extractfile("package/axe.min.js").read().decode()


def browse(page, width, dark, *options):
    with tempfile.TemporaryDirectory() as profile:
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        command = ["chromium", *FLAGS, *scheme, f"--user-data-dir={profile}", f"--window-size={width},1400", *options, page.as_uri()]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=180).stdout


def look(path, script, shots):
    faults = []
    size = path.stat().st_size
    print(f"{path}: {size} bytes")
    if size > MOST:
        faults.append(f"{size} bytes")
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        text = path.read_text(encoding="utf-8")
        page.write_text(text.replace("</body>", f"<script>{script}</script>{RUN}</body>"), encoding="utf-8")
        for dark in (False, True):
            for width in WIDTHS:
                drawn = browse(page, width, dark, "--virtual-time-budget=20000", "--dump-dom")
                told = re.search(r'id="told">(.*?)</script>', drawn, re.S)
                if told is None:
                    faults.append(f"{width}: the rules did not run")
                    continue
                told = json.loads(told.group(1))
                scheme = "dark" if dark else "light"
                print(f"  {scheme} {width}: {len(told['violations'])} violations, {told['passes']} rules passed, {told['wide']} pixels too wide")
                for violation in told["violations"]:
                    faults.append(violation["rule"])
                    print(f"    {violation['impact']}: {violation['help']}: {violation['nodes'][:2]}")
                if told["wide"] > 0:
                    faults.append(f"{width}: wider than the window")
                if shots:
                    shot = pathlib.Path(shots) / f"{path.parent.name}-{scheme}-{width}.png"
                    browse(path.resolve(), width, dark, f"--screenshot={shot}", "--window-size=%d,3000" % width)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--shots")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = args.axe.read_text(encoding="utf-8") if args.axe else axe(folder)
    faults = [fault for page in args.pages for fault in look(page, script, args.shots)]
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
