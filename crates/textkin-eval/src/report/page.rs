//! A report as a self-contained HTML page.

use std::fmt::Write as _;

use super::ExperimentReport;
use super::plot::escape;

pub(super) const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1a1a1a;background:#fff}table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .75rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left}\
.paper{color:#767676}svg{max-width:100%;height:auto;margin:1rem 0}.scroll{overflow-x:auto}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,td{border-color:#444}.paper{color:#a0a0a0}}";

pub(super) fn page(report: &ExperimentReport) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{name}</title>\n<style>{STYLE}</style>\n<h1>{name}: {title}</h1>\n\
         <p>Collection: {collection}. textkin {version}, {seconds:.1} s.</p>\n",
        name = escape(&report.experiment),
        title = escape(&report.title),
        collection = escape(&report.collection),
        version = escape(report.version),
        seconds = report.seconds,
    );
    _ = write!(
        page,
        "<div class=\"scroll\"><table>\n<thead><tr><th>{}",
        escape(&report.table.row_header)
    );
    for column in &report.table.columns {
        _ = write!(page, "<th>{}", escape(column));
    }
    page.push_str("</thead>\n");
    for row in &report.table.rows {
        _ = write!(page, "<tr><td>{}", escape(&row.name));
        for cell in &row.cells {
            let paper = cell
                .formatted_paper()
                .map(|paper| format!(" <span class=\"paper\">({paper})</span>"));
            _ = write!(page, "<td>{}{}", cell.formatted(), paper.unwrap_or_default());
        }
        page.push('\n');
    }
    page.push_str("</table></div>\n");
    if report.table.has_paper() {
        page.push_str(
            "<p class=\"paper\">Figures in brackets are from the paper, measured on its own collection.</p>\n",
        );
    }
    for note in &report.notes {
        _ = writeln!(page, "<p>{}</p>", escape(note));
    }
    for plot in &report.plots {
        page.push_str(&plot.svg());
    }
    page.push_str("</html>\n");
    page
}
