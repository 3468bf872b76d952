# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Bars of the ratio to the best peer, as SVG text. No drawing library is needed.

from html import escape

ROW, LEFT, WIDTH, TOP = 18, 270, 420, 40


def bars(title, rows):
    """`rows`: (label, ratio) pairs; 1 is the peer."""
    limit = max([1.25] + [ratio for _, ratio in rows]) * 1.05
    height = TOP + ROW * len(rows) + 20
    x = lambda ratio: LEFT + WIDTH * ratio / limit
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="20" font-size="14" font-weight="bold">{escape(title)}</text>']
    for i, (label, ratio) in enumerate(rows):
        y = TOP + ROW * i
        colour = "#2a7f62" if ratio >= 1 else "#7aa6c2" if ratio >= 0.97 else "#c0504d"
        out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(label)}</text>')
        out.append(f'<rect x="{LEFT}" y="{y + 2}" width="{x(ratio) - LEFT:.1f}" height="{ROW - 5}" fill="{colour}"/>')
        out.append(f'<text x="{x(ratio) + 5:.1f}" y="{y + 12}">{ratio:.3f}</text>')
    out.append(f'<line x1="{x(1):.1f}" y1="{TOP - 4}" x2="{x(1):.1f}" y2="{height - 16}" stroke="black"/>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
