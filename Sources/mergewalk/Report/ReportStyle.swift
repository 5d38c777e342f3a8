/// The style sheet of reports: light and dark, for screens and for paper.
enum ReportStyle {
  static let sheet = """
    :root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1d2125; --soft: #626b75; --line: #dfe3e7;
      --blue: #2f6fb7; --green: #2c7f4f; --amber: #a56a00; --red: #b3372f; --grey: #8b949e; --tint: #eef3f9; }
    @media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1c2024; --ink: #e6e9ec; --soft: #9aa4ae;
      --line: #32383e; --blue: #6cabf0; --green: #5fc08b; --amber: #e0a53e; --red: #f0776d; --grey: #7d8790;
      --tint: #1f2a36; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--ink);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
    main { max-width: 1060px; margin: 0 auto; padding: 28px 22px 60px; }
    h1 { font-size: 26px; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 17px; margin: 34px 0 12px; }
    h3 { font-size: 14px; margin: 0 0 6px; }
    p { margin: 6px 0; }
    .soft { color: var(--soft); }
    .head { display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: center; }
    .badge { border-radius: 999px; padding: 2px 12px; font-weight: 600; font-size: 13px; color: var(--card);
      background: var(--grey); white-space: nowrap; }
    .badge.good { background: var(--green); } .badge.fair { background: var(--amber); } .badge.bad { background: var(--red); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 14px 0 0; }
    dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 10px; }
    .tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
    .tile { padding: 10px 14px; } .tile b { display: block; font-size: 21px; line-height: 1.3; font-variant-numeric: tabular-nums; }
    .tile span { color: var(--soft); font-size: 13px; } .tile.bad b { color: var(--red); }
    .card { padding: 14px 16px; margin: 10px 0; overflow-x: auto; }
    .note { border-left: 4px solid var(--amber); background: var(--card); padding: 8px 14px; margin: 8px 0;
      border-radius: 0 8px 8px 0; overflow-wrap: anywhere; }
    table { border-collapse: collapse; width: 100%; font-size: 14px; }
    th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums;
      vertical-align: top; }
    th { color: var(--soft); font-weight: 500; } tr:last-child td { border-bottom: 0; }
    th:first-child, td:first-child, .left { text-align: left; } td:first-child { overflow-wrap: anywhere; }
    td:not(.left):not(:first-child), td.name { white-space: nowrap; } tr.group td { border-top: 2px solid var(--line); }
    .bar { display: inline-block; height: 10px; border-radius: 3px; background: var(--blue); vertical-align: middle; min-width: 2px; }
    .bar.slow { background: var(--amber); } .bar.bad { background: var(--red); } .track { width: 45%; }
    pre { background: var(--tint); border-radius: 6px; padding: 8px 10px; margin: 4px 0 12px; font: 12.5px/1.45 ui-monospace,
      "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
    svg { display: block; max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
    svg .soft { fill: var(--soft); } svg .grid { stroke: var(--line); } svg .curve { stroke: var(--blue); fill: none; stroke-width: 2; }
    svg .under { fill: var(--blue); opacity: .13; } svg .box { fill: var(--card); stroke: var(--line); stroke-width: 1.3; }
    .card.wide { position: relative; left: 50%; transform: translateX(-50%); width: max-content; min-width: 100%;
      max-width: calc(100vw - 36px); } svg.objects { max-width: none; } svg .run { fill: var(--grey); } svg .run.good { fill: var(--green); }
    svg .run.fair { fill: var(--amber); } svg .run.bad { fill: var(--red); } svg .run:not(.last) { opacity: .55; }
    .trends { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 10px; } .trends .card { margin: 0; }
    td.where { min-width: 190px; }
    .index { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 13px; margin: 8px 0; } a { color: var(--blue); }
    g:target .box { stroke: var(--blue); stroke-width: 3; } h2, svg g { scroll-margin-top: 60px; }
    svg .title { font-weight: 600; font-size: 13px; } svg .edge { fill: none; stroke: var(--grey); stroke-width: 1.4; }
    svg .tip { fill: var(--grey); } svg .added { fill: var(--green); } svg .changed { fill: var(--amber); }
    svg .label { font-size: 11px; paint-order: stroke; stroke: var(--card); stroke-width: 4px; fill: var(--soft); }
    footer { margin-top: 36px; color: var(--soft); font-size: 13px; }
    @media print { .card.wide { max-width: 100%; } svg.objects { max-width: 100%; height: auto; } .card, .tile { break-inside: avoid; } }
    """
}
