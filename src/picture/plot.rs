//! Plots: values along years and other labels, as SVG.

use crate::picture::svg::{escaped, hex, number, push};

/// Width and height of a plot, without its legend.
const WIDTH: f32 = 800.0;
const HEIGHT: f32 = 330.0;

/// Room around the axes.
const LEFT: f32 = 52.0;
const RIGHT: f32 = 12.0;
const TOP: f32 = 34.0;
const BOTTOM: f32 = 28.0;

/// The height of a row of the legend.
const LEGEND_ROW: f32 = 20.0;

/// Labels along the lower axis at most.
const LABELS: usize = 12;

/// Characters of an entry of the legend at most, a Chinese one counting two.
const NAME: usize = 27;

/// The colours of series, and the dashes that tell them apart in print.
const COLOURS: [[u8; 3]; 8] = [
    [0xb3, 0x26, 0x1e],
    [0x1f, 0x66, 0xb0],
    [0x15, 0x78, 0x1b],
    [0xc4, 0x8a, 0x00],
    [0x8b, 0x3f, 0xb0],
    [0x00, 0x80, 0x8a],
    [0x5b, 0x3a, 0x1a],
    [0x6d, 0x6d, 0x6d],
];
const DASHES: [&str; 4] = ["", "8 4", "2 4", "10 4 2 4"];

/// The colours of results: won, drawn, lost, unknown.
const RESULTS: [[u8; 3]; 4] =
    [[0x2f, 0x7d, 0x4f], [0xc4, 0xba, 0xae], [0xb3, 0x26, 0x1e], [0xe6, 0xdf, 0xd3]];

/// The kind of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlotKind {
    /// A line for each series.
    Lines,
    /// Bars one on the other: games won, drawn, lost, and of unknown result.
    Results,
}

impl PlotKind {
    /// Entries of the legend in a row.
    const fn columns(self) -> usize {
        match self {
            Self::Lines => 3,
            Self::Results => 4,
        }
    }
}

/// A row of values, one for each label.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The values, 0 or more.
    pub values: Vec<f64>,
}

/// Values along labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The title above it.
    pub title: String,
    /// The labels along the lower axis.
    pub labels: Vec<String>,
    /// The series.
    pub series: Vec<Series>,
    /// The way in which they are drawn.
    pub kind: PlotKind,
    /// The sign after the values of the axis, such as `%`.
    pub unit: &'static str,
}

impl Plot {
    /// The plot as a file of its own.
    #[must_use]
    pub fn svg_file(&self) -> String {
        let [width, height] = [WIDTH, self.height()].map(number);
        let size = format!(" width=\"{width}\" height=\"{height}\"");
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.element(&size))
    }

    /// The plot within a page.
    pub(crate) fn inline(&self) -> String {
        self.element("")
    }

    fn height(&self) -> f32 {
        HEIGHT + LEGEND_ROW * self.series.len().div_ceil(self.kind.columns()) as f32
    }

    fn element(&self, attributes: &str) -> String {
        let [width, height] = [WIDTH, self.height()].map(number);
        let title = escaped(&self.title);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"{attributes} role=\"img\" \
             font-family=\"system-ui, 'Noto Sans CJK SC', sans-serif\" font-size=\"13\" fill=\"#221c16\"><title>{title}</title>\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fffdf9\"/>\
             <text x=\"{LEFT}\" y=\"21\" font-size=\"15\" font-weight=\"600\">{title}</text>"
        );
        let step = self.step();
        let top = (self.highest() / step).ceil().max(1.0) * step;
        self.push_axes(&mut text, step, top);
        match self.kind {
            PlotKind::Lines => self.push_lines(&mut text, top),
            PlotKind::Results => self.push_bars(&mut text, top),
        }
        self.push_legend(&mut text);
        text + "</svg>"
    }

    /// The height of the highest point.
    fn highest(&self) -> f64 {
        let heights = (0..self.labels.len()).map(|at| match self.kind {
            PlotKind::Lines => self.values_at(at).copied().fold(0.0, f64::max),
            PlotKind::Results => self.values_at(at).sum(),
        });
        heights.fold(0.0, f64::max)
    }

    /// The values of all series at a label.
    fn values_at(&self, at: usize) -> impl Iterator<Item = &f64> {
        self.series.iter().filter_map(move |series| series.values.get(at))
    }

    /// The distance of the lines across: 1, 2 or 5 times a power of ten.
    fn step(&self) -> f64 {
        let rough = self.highest().max(1.0) / 4.0;
        let power = 10_f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough);
        // Values without a unit are counts, between two of which no line is drawn.
        (factor.unwrap_or(10.0) * power).max(if self.unit.is_empty() { 1.0 } else { 0.0 })
    }

    /// The middle of a label along the lower axis.
    fn x(&self, at: usize) -> f32 {
        let room = WIDTH - LEFT - RIGHT;
        LEFT + room * (at as f32 + 0.5) / self.labels.len().max(1) as f32
    }

    fn push_axes(&self, text: &mut String, step: f64, top: f64) {
        let right = number(WIDTH - RIGHT);
        let lines = (top / step).round() as usize;
        for line in 0..=lines {
            let value = line as f64 * step;
            let y = number(y(value, top));
            let below = number(y_of_text(value, top));
            let label = number(value as f32);
            push(
                text,
                format_args!(
                    "<path d=\"M{LEFT} {y}H{right}\" stroke=\"#ddd3c5\"/>\
                 <text x=\"{}\" y=\"{below}\" text-anchor=\"end\" fill=\"#665b50\">{label}{}</text>",
                    number(LEFT - 6.0),
                    self.unit
                ),
            );
        }
        let every = self.labels.len().div_ceil(LABELS).max(1);
        let y = number(HEIGHT - BOTTOM + 18.0);
        for (at, label) in self.labels.iter().enumerate().step_by(every) {
            let x = number(self.x(at));
            let label = escaped(label);
            push(
                text,
                format_args!(
                    "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#665b50\">{label}</text>"
                ),
            );
        }
    }

    fn push_lines(&self, text: &mut String, top: f64) {
        for (at, series) in self.series.iter().enumerate() {
            let points = series.values.iter().take(self.labels.len()).enumerate();
            let points = points
                .map(|(at, &value)| format!("{} {}", number(self.x(at)), number(y(value, top))));
            let points: Vec<String> = points.collect();
            let colour = hex(COLOURS[at % COLOURS.len()]);
            let dash = DASHES[at / COLOURS.len() % DASHES.len()];
            push(
                text,
                format_args!(
                    "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" stroke-linejoin=\"round\" \
                 stroke-linecap=\"round\" stroke-dasharray=\"{dash}\"/>",
                    points.join("L")
                ),
            );
            // A single value has no line.
            if let [point] = &points[..] {
                let (x, y) = point.split_once(' ').unwrap_or_default();
                push(
                    text,
                    format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{colour}\"/>"),
                );
            }
        }
    }

    fn push_bars(&self, text: &mut String, top: f64) {
        let width = ((WIDTH - LEFT - RIGHT) / self.labels.len().max(1) as f32 * 0.8).min(40.0);
        for at in 0..self.labels.len() {
            let mut below = 0.0;
            for (series, colour) in self.series.iter().zip(RESULTS) {
                let value = series.values.get(at).copied().unwrap_or_default();
                let (from, to) = (y(below, top), y(below + value, top));
                below += value;
                if value > 0.0 {
                    let [x, y] = [number(self.x(at) - width / 2.0), number(to)];
                    let [width, height] = [number(width), number(from - to)];
                    let colour = hex(colour);
                    push(
                        text,
                        format_args!(
                            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
                        ),
                    );
                }
            }
        }
    }

    fn push_legend(&self, text: &mut String) {
        let columns = self.kind.columns();
        let width = (WIDTH - LEFT - RIGHT) / columns as f32;
        for (at, series) in self.series.iter().enumerate() {
            let x = LEFT + width * (at % columns) as f32;
            let y = HEIGHT + 6.0 + LEGEND_ROW * (at / columns) as f32;
            let name = shortened(&series.name);
            let name = escaped(&name);
            let [left, right] = [x, x + 22.0].map(number);
            let [line, below] = [y, y + 4.5].map(number);
            let mark = match self.kind {
                PlotKind::Lines => {
                    let colour = hex(COLOURS[at % COLOURS.len()]);
                    let dash = DASHES[at / COLOURS.len() % DASHES.len()];
                    format!(
                        "<path d=\"M{left} {line}H{right}\" stroke=\"{colour}\" stroke-width=\"3\" stroke-dasharray=\"{dash}\"/>"
                    )
                }
                PlotKind::Results => {
                    let colour = hex(RESULTS[at % RESULTS.len()]);
                    let top = number(y - 6.0);
                    format!(
                        "<rect x=\"{left}\" y=\"{top}\" width=\"22\" height=\"12\" fill=\"{colour}\"/>"
                    )
                }
            };
            let after = number(x + 28.0);
            push(text, format_args!("{mark}<text x=\"{after}\" y=\"{below}\">{name}</text>"));
        }
    }
}

/// The height of a value.
fn y(value: f64, top: f64) -> f32 {
    let room = f64::from(HEIGHT - TOP - BOTTOM);
    HEIGHT - BOTTOM - (value / top * room) as f32
}

/// The line of the text at that height.
fn y_of_text(value: f64, top: f64) -> f32 {
    y(value, top) + 4.5
}

/// A name that has room in the legend.
fn shortened(name: &str) -> String {
    let mut columns = 0;
    let mut short = String::new();
    for c in name.chars() {
        columns += if c.is_ascii() { 1 } else { 2 };
        if columns > NAME {
            short.push('…');
            break;
        }
        short.push(c);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(kind: PlotKind, values: &[f64]) -> Plot {
        let labels = (1950..).take(values.len()).map(|year| year.to_string()).collect();
        let series = ["<a> & b", "一个很长很长很长很长很长很长很长很长很长的名字"]
            .map(|name| Series { name: name.to_owned(), values: values.to_vec() });
        Plot { title: "T".to_owned(), labels, series: series.to_vec(), kind, unit: "%" }
    }

    #[test]
    fn plots_stay_within_their_frame_whatever_the_values() {
        for kind in [PlotKind::Lines, PlotKind::Results] {
            for values in [&[][..], &[0.0], &[0.0, 0.0], &[3.0], &[1.0, 1e9, 0.0], &[0.001; 70]] {
                let text = plot(kind, values).svg_file();
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                assert!(text.contains("&lt;a&gt; &amp; b") && text.contains('…'), "{text}");
                assert!(!text.contains("=\"-"), "{text}");
            }
        }
    }

    #[test]
    fn lines_across_are_round_numbers() {
        let step = |values: &[f64]| plot(PlotKind::Lines, values).step();
        assert_eq!(
            [step(&[9.0]), step(&[41.0]), step(&[800.0]), step(&[3.0])],
            [5.0, 20.0, 200.0, 1.0]
        );
    }
}
