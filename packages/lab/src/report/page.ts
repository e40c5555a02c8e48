// The style of the HTML report: one column of text, tables that scroll separately, the reader's light or dark scheme.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--ground:#fff;--soft:#57606a;--line:#d0d7de;--band:#f3f5f7;
--reproduced:#0b6b3a;--differs:#a33b00;--not-reproducible:#57606a;--link:#0b5cad}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--ground:#14171a;--soft:#a2abb5;--line:#373e47;--band:#1e2328;
--reproduced:#5fd39a;--differs:#ff9d66;--not-reproducible:#a2abb5;--link:#7cb8f5}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:80rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground)}
h1{font-size:1.7rem;line-height:1.2}
h2{margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:2px solid var(--line);font-size:1.35rem}
h3{margin:2rem 0 .5rem;font-size:1.1rem}
p,li{max-width:46rem;overflow-wrap:anywhere}
a{color:var(--link)}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
.soft{color:var(--soft)}
.scroll{overflow:auto;max-height:85vh;border:1px solid var(--line);border-radius:6px}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .4rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}
thead{position:sticky;top:0;z-index:2}
thead th{background:var(--band);white-space:nowrap}
thead tr:first-child th:first-child,tbody th{position:sticky;left:0;border-right:1px solid var(--line)}
tbody th{z-index:1;background:var(--ground);font-weight:600}
.long{min-width:16rem}
.group{text-align:center}
.number{text-align:right;white-space:nowrap}
.range{display:block;font-size:.78rem;color:var(--soft)}
.verdict{min-width:14rem}
.kind{font-weight:600}
.short{display:none;font-size:.75rem}
.reproduced,.as-predicted{color:var(--reproduced)}
.differs,.off-by{color:var(--differs)}
.not-reproducible,.full{color:var(--not-reproducible)}
details{font-size:.85rem}
summary{cursor:pointer;color:var(--soft)}
pre{margin:.4rem 0;padding:.5rem .7rem;background:var(--band);border-radius:6px;overflow-x:auto;font-size:.82rem}
.verdict pre{white-space:pre-wrap;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}
figure{margin:0;min-width:0}
figcaption{margin-bottom:.2rem;font-weight:600;font-size:.95rem}
.plot{display:block;width:100%;max-width:34rem;height:auto}
@media(max-width:40rem){th,td{padding:.35rem .25rem}.short{display:block}thead th,thead .number{white-space:normal;font-size:.72rem}
tbody th{max-width:8rem;overflow-wrap:break-word}}
@media print{.scroll{overflow:visible;max-height:none}thead,tbody th{position:static}}
`;
