#!/usr/bin/env python3
"""Takes the screenshots of docs/images: a report and a page of runs, light, dark and on paper.

    scripts/screenshots.py [--binary .build/debug/mergewalk] [--out docs/images]

Needs Chromium (Debian: chromium, fonts-dejavu-core) and, for the page on paper, pdftoppm (poppler-utils).
"""
import argparse, os, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A store of a shop over some nights: (orders, wrong ones).
NIGHTS = [(900, 0), (930, 2), (925, 0), (960, 0), (310, 9), (990, 1), (1004, 3)]
HEADER = ("order_id,ordered_at,quantity,unit_price,note,customer_email,customer_name,country,sku,product_name,category")


def orders(count, wrong):
    lines = [HEADER]
    for i in range(count):
        quantity = "two" if i < wrong else str(1 + i % 5)
        lines.append(f"A{i:05},2024-05-01T10:00:00Z,{quantity},{1 + i % 90}.50,,c{i % 180}@example.com,Customer {i % 180},"
                     f"{['DE', 'CH', 'AT'][i % 3]},S{i % 60},Product {i % 60},{['Books', 'Garden', 'Toys'][i % 3]}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=os.path.join(HERE, ".build/debug/mergewalk"))
    parser.add_argument("--out", default=os.path.join(HERE, "docs/images"))
    options = parser.parse_args()
    browser = next((path for path in map(shutil.which, ["chromium", "chromium-browser", "google-chrome"]) if path), None)
    if not browser:
        sys.exit("there is no Chromium here: apt-get install chromium fonts-dejavu-core")
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(HERE, "fixtures"), os.path.join(folder, "fixtures"))
        os.makedirs(os.path.join(folder, "pipelines"))
        shutil.copy(os.path.join(HERE, "pipelines/orders.yaml"), os.path.join(folder, "pipelines"))
        for count, wrong in NIGHTS:
            with open(os.path.join(folder, "orders.csv"), "w") as file:
                file.write(orders(count, wrong))
            subprocess.run([options.binary, "run", "pipelines/orders.yaml", "orders.csv", "--report", "report.html",
                            "--quiet"], cwd=folder)
        subprocess.run([options.binary, "runs", "build", "--html", "runs.html"], cwd=folder, check=True)
        common = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                  "--user-data-dir=" + os.path.join(folder, "profile")]
        for name, page, size, more in [
                ("report-light", "report.html", "1100,1560", []),
                ("report-dark", "report.html", "1100,1560", ["--blink-settings=preferredColorScheme=0"]),
                ("runs", "runs.html", "1100,760", [])]:
            subprocess.run(common + more + [f"--window-size={size}", "--screenshot=" + os.path.join(options.out, name + ".png"),
                                            "file://" + os.path.join(folder, page)], check=True, stderr=subprocess.DEVNULL)
        if shutil.which("pdftoppm"):
            pdf = os.path.join(folder, "report.pdf")
            subprocess.run(common + ["--print-to-pdf=" + pdf, "file://" + os.path.join(folder, "report.html")], check=True,
                           stderr=subprocess.DEVNULL)
            subprocess.run(["pdftoppm", "-png", "-r", "60", "-f", "1", "-l", "1", "-singlefile", pdf,
                            os.path.join(options.out, "report-paper")], check=True)
    for name in sorted(os.listdir(options.out)):
        print(f"{os.path.join(options.out, name)}: {os.path.getsize(os.path.join(options.out, name)) // 1024} KiB")


if __name__ == "__main__":
    main()
