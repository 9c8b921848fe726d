//! Writes pages to a PDF.

use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb::Color;
use krilla::destination::{Destination, XyzDestination};
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{GlyphId, KrillaGlyph};
use krilla::{Document, SerializeSettings};

use crate::Error;
use crate::font::Fonts;
use crate::layout::{PAGE, PageItem, PageLayout};
use crate::line::Line;
use crate::palette;
use crate::report::PdfReport;
use crate::shape::{Background, Glyph, GlyphRun, Label, TextStyle, printed};

/// Renders the pages as a PDF.
pub(crate) fn document(
    report: &PdfReport,
    layout: &PageLayout,
    fonts: &Fonts,
) -> Result<Vec<u8>, Error> {
    let mut document = Document::new_with(SerializeSettings::default());
    for marks in &layout.pages {
        let settings = PageSettings::from_wh(PAGE.0, PAGE.1).unwrap_or_default();
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        let mut pen = PageRenderer { surface: &mut surface, fonts, links: Vec::new() };
        for mark in marks {
            pen.draw(mark);
        }
        let links = pen.links;
        surface.finish();
        for (rect, number) in links {
            if let Some((at, y)) = layout.sources.get(&number) {
                let position = XyzDestination::new(*at, Point::from_xy(0.0, *y - 8.0));
                let link =
                    LinkAnnotation::new(rect, Target::Destination(Destination::Xyz(position)));
                page.add_annotation(Annotation::new_link(link, Some(format!("source {number}"))));
            }
        }
        page.finish();
    }
    let mut outline = Outline::new();
    for (page, y, words) in &layout.headings {
        let position = XyzDestination::new(*page, Point::from_xy(0.0, *y - 8.0));
        outline.push_child(OutlineNode::new(words.clone(), position));
    }
    document.set_outline(outline);
    document.set_metadata(metadata(report));
    document.finish().map_err(|error| Error::Write(format!("{error:?}")))
}

fn metadata(report: &PdfReport) -> Metadata {
    let title: String = report.title.chars().filter_map(printed).take(300).collect();
    let metadata = Metadata::new().title(title).creator("textkin".to_owned());
    let metadata = metadata.producer("textkin".to_owned()).language("en".to_owned());
    let Some([year, rest @ ..]) = report.time else { return metadata };
    let [month, day, hour, minute, second] = rest.map(|part| u8::try_from(part).unwrap_or(0));
    let date = DateTime::new(year).month(month).day(day).hour(hour).minute(minute).second(second);
    metadata.creation_date(date.utc_offset_hour(0).utc_offset_minute(0))
}

/// Draws on one page.
struct PageRenderer<'a, 'b> {
    surface: &'a mut Surface<'b>,
    fonts: &'a Fonts,
    /// Areas that link to a source, by its number.
    links: Vec<(Rect, usize)>,
}

impl PageRenderer<'_, '_> {
    fn draw(&mut self, mark: &PageItem) {
        match mark {
            PageItem::Text { x, y, size, line } => self.line(*x, *y, *size, line),
            PageItem::Box { x, y, width, height, fill, edge } => {
                let Some(rect) = Rect::from_xywh(*x, *y, *width, *height) else { return };
                self.rect(rect, *fill, *edge);
            }
            PageItem::Rule { x, y, width, colour, dash } => {
                self.rule((*x, *y), *width, *colour, dash)
            }
        }
    }

    fn rect(&mut self, rect: Rect, fill: Color, edge: Option<Color>) {
        let mut path = PathBuilder::new();
        path.push_rect(rect);
        let Some(path) = path.finish() else { return };
        self.surface.set_fill(Some(solid_fill(fill)));
        self.surface.set_stroke(edge.map(|edge| stroke(edge, 0.6, &[])));
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
    }

    fn rule(&mut self, (x, y): (f32, f32), width: f32, colour: Color, dash: &[f32]) {
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        path.line_to(x + width, y);
        let Some(path) = path.finish() else { return };
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(stroke(colour, 0.8, dash)));
        self.surface.draw_path(&path);
        self.surface.set_stroke(None);
    }

    fn line(&mut self, x: f32, y: f32, size: f32, line: &Line) {
        self.backgrounds(x, y, size, &line.runs);
        let mut at = x;
        let mut rest = line.runs.as_slice();
        while let Some((first, system_fonts)) = rest.split_first() {
            let continues = |pair: &[GlyphRun]| {
                let [before, after] = pair else { return false };
                let is_next = before.end == after.start && !before.is_rtl() && !after.is_rtl();
                let is_same_style = (before.font, before.style) == (after.font, after.style);
                is_next && is_same_style && after.label.is_none()
            };
            let count = 1 + rest.windows(2).take_while(|pair| continues(pair)).count();
            let run = &rest[..count];
            let label = first.label.as_ref();
            let before = label.filter(|_| !first.is_rtl()).map_or(0.0, Label::width) * size;
            if let Some(label) = label {
                let left = match first.is_rtl() {
                    true => at + (first.width - label.background_width()) * size,
                    false => at,
                };
                self.label((left, y), size, label, first.style);
            }
            self.glyphs((at + before, y), size, line, run);
            at += run.iter().map(|run| run.width).sum::<f32>() * size;
            rest = &system_fonts[count - 1..];
        }
    }

    /// Draws the background of text: one rectangle per highlighted range, and a line below it.
    fn backgrounds(&mut self, x: f32, y: f32, size: f32, runs: &[GlyphRun]) {
        let mut at = x;
        for run in
            runs.chunk_by(|a, b| a.style.background == b.style.background && b.label.is_none())
        {
            let width = run.iter().map(|run| run.width).sum::<f32>() * size;
            let space = run.last().map_or(0.0, |last| if last.is_rtl() { 0.0 } else { last.space });
            let inked = width - space * size;
            let (fill, edge, dash): (_, _, &[f32]) = match run[0].style.background {
                Background::None => {
                    at += width;
                    continue;
                }
                Background::Source(number) => {
                    let (fill, edge) = palette::hue(number);
                    (fill, edge, palette::dash(number))
                }
                Background::Excluded => (palette::grey(), palette::soft(), &[0.8, 1.6]),
            };
            if let Some(rect) = Rect::from_xywh(at, y - size * 0.93, inked, size * 1.24) {
                self.rect(rect, fill, None);
                self.rule((at, y + size * 0.28), inked, edge, dash);
            }
            at += width;
        }
    }

    fn label(&mut self, (x, y): (f32, f32), size: f32, label: &Label, style: TextStyle) {
        let small = size * Label::SIZE;
        let rect =
            Rect::from_xywh(x, y - size * 0.82, label.background_width() * size, size * 1.02);
        let Some(rect) = rect else { return };
        let letters = match style.background {
            Background::Source(number) => {
                self.rect(rect, palette::hue(number).1, None);
                self.links.push((rect, number));
                palette::paper()
            }
            _ => {
                self.rect(rect, palette::paper(), Some(palette::soft()));
                palette::soft()
            }
        };
        let glyphs: Vec<KrillaGlyph> =
            label.glyphs.iter().map(|glyph| to_krilla(glyph, 0)).collect();
        let font = self.fonts.face(label.font).pdf.clone();
        let position = Point::from_xy(x + Label::PAD * size, y - size * 0.04);
        self.surface.set_fill(Some(solid_fill(letters)));
        self.surface.draw_glyphs(position, &glyphs, font, &label.text, small, false);
    }

    /// Draws consecutive runs of one typeface and one style.
    fn glyphs(&mut self, (x, y): (f32, f32), size: f32, line: &Line, run: &[GlyphRun]) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let text = &line.text[first.start..last.end];
        let glyphs: Vec<KrillaGlyph> = run
            .iter()
            .flat_map(|run| {
                let shift = run.base.cast_signed() - first.start.cast_signed();
                run.glyphs().iter().map(move |glyph| to_krilla(glyph, shift))
            })
            .collect();
        let is_soft = first.style.is_soft;
        let colour = if is_soft { palette::soft() } else { palette::ink() };
        self.surface.set_fill(Some(solid_fill(colour)));
        let font = self.fonts.face(first.font).pdf.clone();
        self.surface.draw_glyphs(Point::from_xy(x, y), &glyphs, font, text, size, false);
    }
}

fn to_krilla(glyph: &Glyph, shift: isize) -> KrillaGlyph {
    let position = |at: u32| (at as usize).saturating_add_signed(shift);
    KrillaGlyph::new(
        GlyphId::new(glyph.id),
        glyph.advance,
        glyph.dx,
        glyph.dy,
        0.0,
        position(glyph.start)..position(glyph.end),
        None,
    )
}

fn solid_fill(colour: Color) -> Fill {
    Fill { paint: colour.into(), opacity: NormalizedF32::ONE, ..Fill::default() }
}

fn stroke(colour: Color, width: f32, dash: &[f32]) -> Stroke {
    let dash = (!dash.is_empty()).then(|| StrokeDash { array: dash.to_vec(), offset: 0.0 });
    Stroke { paint: colour.into(), width, dash, ..Stroke::default() }
}
