#!/usr/bin/env bash
# The documentation as a site, with live scenes: pages in which the examples run. Any static host will do, and no host: the pages open as files.
#     tools/site.sh [FOLDER [SCREE]]        default: build/site, and build/release/bin/scree
# Needs mkdocs (Debian) and a scree that carries the WebAssembly module (docs/play.md). A minute, most of it for the pictures of the scenes.
set -euo pipefail
cd "$(dirname "$0")/.."
site=${1:-build/site} scree=${2:-build/release/bin/scree}
[ -x "$scree" ] || { echo "site: $scree is not there: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name, scene, time of the picture [s], the page that explains it, what to look at
scenes=(
    "ball|examples/ball.yaml|1|docs/tutorial.html|A ball rolls to rest by rolling friction, after v² / (2 · 5/7 · (ρ/R) · g) = 5.575 m. Slide the rolling friction and read the distance."
    "three-spheres|examples/papers/fn-stack/scene.yaml|0.05|examples/papers/fn-stack/index.html|Fang &amp; Negrut 4.6: a sphere on two others. It stands with enough rolling friction, and falls without."
    "tippe-top|examples/tippe-top.yaml|0.5|docs/gallery.html|A spinning top whose weight lies low turns over and goes on on its stem: friction at the foot lifts it."
    "pile|examples/pile.yaml|1.5|docs/tutorial.html|300 grains fall into a heap. Take rolling friction away, and it runs flat; throw a grain into it."
    "pour|examples/pour.yaml|0.8|docs/gallery.html|2,000 grains are poured; with rolling friction they make a cone."
    "drum|examples/drum.yaml|0.6|examples/papers/drum/index.html|A drum turns, and the grains in it avalanche at an angle."
    "guideway|examples/papers/ta62/scene.yaml|0.05|examples/papers/ta62/index.html|Tasora &amp; Anitescu 6.2: a carriage on balls between rails. What it takes to pull it is rolling friction."
    "hopper|examples/hopper.yaml|0.4|docs/hopper.html|Grains leave a hopper whose walls are a mesh from a file."
    "four-bar|examples/four-bar.yaml|0.7|docs/math/joints.html|A linkage of hinges, driven by a motor."
    "kapla|examples/kapla.yaml|0.05|docs/peers.html|A tower of planks stands by friction alone. Pull one out."
    "shaker|examples/shaker.yaml|1|docs/gallery.html|A box shakes, and what lies in it climbs."
    "rockfall|examples/rockfall.yaml|4|docs/gallery.html|Rocks roll and bounce down a slope of heights."
    "conveyor|examples/conveyor.yaml|1|docs/scenes.html|A belt carries grains away."
    "ellipsoid|examples/papers/fn-ellipsoid/scene.yaml|0.1|examples/papers/fn-ellipsoid/index.html|Fang &amp; Negrut 4.5.1: an ellipsoid that stands upright is pushed over."
)

python3 tools/docs.py --site "$site"
mkdir -p "$site/live"
cards= links=
for line in "${scenes[@]}"; do
    IFS='|' read -r name scene time page text <<<"$line"
    "$scree" play "$scene" -o "$site/live/$name.html" >/dev/null
    "$scree" run "$scene" --until "$time" --every "$time" -o "$work/$name" --quiet --force >/dev/null 2>&1 || [ $? = 1 ]
    "$scree" picture "$work/$name" --plain --size 640x400 -o "$site/live/$name.png" >/dev/null
    title=$(sed -n 's/^title: *//p' "$scene" | head -n 1 | sed 's/^"\(.*\)"$/\1/; s/&/\&amp;/g; s/</\&lt;/g')
    cards+="<article><a href=\"$name.html\"><img src=\"$name.png\" alt=\"\" width=\"640\" height=\"400\" loading=\"lazy\"><h2>$title</h2></a>"
    cards+="<p>$text</p><p class=\"more\"><a href=\"$name.html\">Run it</a> · <a href=\"../$page\">what it shows</a></p></article>"
    links+="$page|$name|$title"$'\n'
    echo "site: live/$name.html"
done
cat >"$site/live/index.html" <<HTML
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>scree: live scenes</title>
<style>
:root { color-scheme: light dark; --back: #f4f5f7; --card: #fff; --text: #1d2229; --soft: #5d6776; --line: #dfe3e8; --accent: #0b6fb8; }
@media (prefers-color-scheme: dark) { :root { --back: #14171c; --card: #1d2128; --text: #e6e9ee; --soft: #98a2b0; --line: #333a44; --accent: #58b2f2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, main { max-width: 1240px; margin: 0 auto; padding: 28px 20px 8px; }
h1 { font-size: 26px; margin: 0 0 6px; }
header p { max-width: 46em; color: var(--soft); margin: 0 0 6px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 20px; padding-bottom: 48px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; display: flex; flex-direction: column; }
article:hover { border-color: var(--accent); }
img { width: 100%; height: auto; display: block; }
h2 { font-size: 17px; margin: 14px 16px 0; color: var(--text); }
article p { margin: 6px 16px; color: var(--soft); }
article .more { margin-top: auto; padding: 4px 0 12px; }
a { color: var(--accent); text-decoration: none; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
</style>
</head>
<body>
<header>
<h1>Live scenes</h1>
<p>Rigid bodies and grains that touch, slide, roll and spin, computed in your browser while you look. Slide a coefficient, drag a body, throw it,
edit the scene, send it to somebody by a link.</p>
<p><a href="../index.html">Documentation</a></p>
</header>
<main>$cards</main>
</body>
</html>
HTML

# a way there from the menu of every page, and from the pages that explain a scene to the scene: where they state a figure, it can be computed anew
python3 - "$site" "$links" <<'PY'
import sys
from pathlib import Path
site = Path(sys.argv[1])
found = told = 0
scenes = {}
for page, name, title in (line.split("|") for line in sys.argv[2].splitlines()):
    scenes.setdefault(page, []).append((name, title))
for page in site.rglob("*.html"):
    if page.parent.name == "live":
        continue
    text = page.read_text()
    at = text.find('<ul', text.find('wy-menu'))
    if at < 0:
        continue
    up = "../" * (len(page.relative_to(site).parts) - 1)
    text = text[:at] + f'<p class="caption"><a href="{up}live/index.html">Live scenes ▶</a></p>\n' + text[at:]
    here, body = scenes.get(str(page.relative_to(site)), []), text.find("</h1>")
    if here and body >= 0:
        links = " · ".join(f'<a href="{up}live/{name}.html">{title} ▶</a>' for name, title in here)
        text = text[:body + 5] + f'\n<p class="live">To run while you read: {links}</p>' + text[body + 5:]
        told += len(here)
    page.write_text(text)
    found += 1
if not found or told != sum(map(len, scenes.values())):
    sys.exit(f"site: {found} pages have a menu to add the live scenes to, {told} scenes a page that links to them")
PY
[ -e "$site/index.html" ] || cp "$site/README.html" "$site/index.html"
du -sh "$site" | cut -f1
