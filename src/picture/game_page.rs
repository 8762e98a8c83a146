//! Games as pages for reading: what is known of a game, its moves with comments and variations, diagrams.

use crate::game::{Outcome, Side, side_name};
use crate::message::{Message, message};
use crate::picture::board::{BoardLook, Pictured, Scene, draw_board};
use crate::picture::html::HtmlPage;
use crate::picture::points::{Mark, divided};
use crate::record::{Record, Tree, result_text};
use crate::xiangqi::notation::MoveNotation;

/// The most diagrams of a page; later comments have none.
pub const MAX_DIAGRAMS: usize = 100;

/// The tags that stand below the title, in this order.
const BELOW_TITLE: [&str; 4] = ["Event", "Site", "Round", "Date"];

/// The tags that are not listed: they stand elsewhere.
const ELSEWHERE: [&str; 8] = ["Red", "Black", "White", "Title", "Result", "FEN", "Format", "Game"];

/// Annotation glyphs of PGN as people write them.
const GLYPHS: [(u8, &str); 14] = [
    (1, "!"),
    (2, "?"),
    (3, "!!"),
    (4, "??"),
    (5, "!?"),
    (6, "?!"),
    (10, " ="),
    (13, " ∞"),
    (14, " +="),
    (15, " =+"),
    (16, " ±"),
    (17, " ∓"),
    (18, " +−"),
    (19, " −+"),
];

/// A language for readers.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// Its tag, such as `en`.
    pub language: &'static str,
    /// The notation of moves.
    pub notation: MoveNotation,
    /// The text of a message.
    pub translate: &'a dyn Fn(&Message) -> String,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { language, notation, .. } = self;
        write!(f, "Reader {{ {language}, {notation} }}")
    }
}

/// A game as a page of HTML: its tags, its moves with comments and variations, and diagrams of the start, of positions with
/// a comment and of the end, with the arrows and rings of the comments.
#[must_use]
pub fn game_page<G: Pictured>(record: &Record<G>, look: BoardLook, reader: Reader<'_>) -> String {
    let title = title_of(record, reader);
    let start = record.start.clone().unwrap_or_else(G::start);
    let page = HtmlPage::new(&title, reader.language);
    let is_late = start.turn() == Side::Second && G::MOVES_A_NUMBER > 1;
    let mut writer = GamePage { page, look, reader, diagrams: 0, before: usize::from(is_late) };
    writer.header(record, &title);
    writer.opening(record, &start);
    let end = writer.tree(&record.tree, Stand { position: start, ply: 0, is_main: true });
    writer.ending(record, &end);
    writer.page.finish()
}

/// The players, or the title that the game has.
fn title_of<G: Pictured>(record: &Record<G>, reader: Reader<'_>) -> String {
    match record.players() {
        [None, None] => {
            let named = record.tag("Title").or_else(|| record.tag("Event"));
            named.map_or_else(|| (reader.translate)(&message!("Game")), str::to_owned)
        }
        players => players.map(|player| player.unwrap_or("?")).join(" – "),
    }
}

/// A position of the game or of a variation.
struct Stand<G: Pictured> {
    position: G,
    /// Plies since the start.
    ply: usize,
    /// It is one of the game itself.
    is_main: bool,
}

struct GamePage<'a> {
    page: HtmlPage,
    look: BoardLook,
    reader: Reader<'a>,
    diagrams: usize,
    /// Plies that are counted before the first: one where Black begins.
    before: usize,
}

impl GamePage<'_> {
    fn say(&self, message: &Message) -> String {
        (self.reader.translate)(message)
    }

    fn header<G: Pictured>(&mut self, record: &Record<G>, title: &str) {
        self.page.begin("header", "");
        self.page.begin("h1", "");
        self.page.text(title);
        if record.result.is_some() {
            self.page.text(" ");
            self.page.element("span", "result", result_text(record.result));
        }
        self.page.end("h1");
        let known = BELOW_TITLE.iter().filter_map(|name| record.tag(name));
        let known: Vec<&str> = known.filter(|value| !is_unknown(value)).collect();
        if !known.is_empty() {
            self.page.element("p", "", &known.join(" · "));
        }
        let others = record.tags.iter().filter(|(name, _)| is_listed(name));
        let others: Vec<_> = others.filter(|(_, value)| !is_unknown(value)).collect();
        if !others.is_empty() {
            self.page.begin("dl", "");
            for (name, value) in others {
                let label = tag_label(name).map_or_else(|| name.clone(), |label| self.say(&label));
                self.page.element("dt", "", &label);
                self.page.element("dd", "", value);
            }
            self.page.end("dl");
        }
        self.page.end("header");
    }

    /// Draws the start, and writes what is said of it.
    fn opening<G: Pictured>(&mut self, record: &Record<G>, start: &G) {
        let comments: Vec<&str> = comments_at(&record.tree, 0).collect();
        let (marks, texts) = all_divided::<G>(&comments);
        let caption = self.say(&message!("Start"));
        self.diagram(start, &[], &marks, &caption);
        for text in texts {
            self.page.element("p", "comment", &text);
        }
    }

    /// Draws the end, unless it was drawn with its comment, and writes the result.
    fn ending<G: Pictured>(&mut self, record: &Record<G>, end: &Stand<G>) {
        let moves = &record.tree.moves;
        if !moves.is_empty() && comments_at(&record.tree, moves.len()).next().is_none() {
            // The end is drawn however many diagrams there are.
            self.diagrams = 0;
            let caption = self.say(&message!("End"));
            self.diagram(&end.position, moves, &[], &caption);
        }
        let result = match record.result {
            Some(Outcome::Win(side)) => match side_name::<G>(side) {
                "Red" => message!("Red wins"),
                "White" => message!("White wins"),
                _ => message!("Black wins"),
            },
            Some(Outcome::Draw) => message!("A draw"),
            None => return,
        };
        let result = format!("{} {}", result_text(record.result), self.say(&result));
        self.page.begin("p", "");
        self.page.element("b", "", &result);
        self.page.end("p");
    }

    /// Writes a line with what belongs to it; returns its end.
    fn tree<G: Pictured>(&mut self, tree: &Tree<G>, mut at: Stand<G>) -> Stand<G> {
        let mut comments = tree.comments.iter().peekable();
        let mut variations: Vec<_> = tree.variations.iter().collect();
        // A file may have them in another order; those of one move keep theirs.
        variations.sort_by_key(|variation| variation.ply);
        let mut variations = variations.into_iter().peekable();
        let mut glyphs = tree.glyphs.iter().peekable();
        // Those before the first move were written by the caller.
        while comments.next_if(|(ply, _)| *ply == 0).is_some() {}
        let mut is_open = false;
        for (index, &mv) in tree.moves.iter().enumerate() {
            if !is_open {
                self.page.begin("p", if at.is_main { "moves main" } else { "moves" });
            }
            let text = at.position.text_of(mv, self.reader.notation);
            let mut signs = String::new();
            while let Some((_, glyph)) = glyphs.next_if(|(ply, _)| *ply <= index + 1) {
                signs += &glyph_text(*glyph);
            }
            let number = self.number::<G>(at.ply, !is_open);
            self.ply(&number, &format!("{text}{signs}"));
            is_open = true;
            let mut said = Vec::new();
            while let Some((_, comment)) = comments.next_if(|(ply, _)| *ply <= index + 1) {
                said.push(comment.as_str());
            }
            let mut others = Vec::new();
            while let Some(variation) = variations.next_if(|variation| variation.ply <= index) {
                others.push(&variation.tree);
            }
            let before = (!others.is_empty()).then(|| at.position.clone());
            at.position.make(mv);
            at.ply += 1;
            if said.is_empty() && others.is_empty() {
                continue;
            }
            self.page.end("p");
            is_open = false;
            let number = self.number::<G>(at.ply - 1, true);
            self.comments(&said, &at, &tree.moves[..=index], &format!("{number} {text}"));
            for other in others {
                let position = before.clone().unwrap_or_else(|| at.position.clone());
                self.variation(other, Stand { position, ply: at.ply - 1, is_main: false });
            }
        }
        if is_open {
            self.page.end("p");
        }
        at
    }

    fn variation<G: Pictured>(&mut self, tree: &Tree<G>, at: Stand<G>) {
        self.page.begin("div", "variation");
        let comments: Vec<&str> = comments_at(tree, 0).collect();
        for text in all_divided::<G>(&comments).1 {
            self.page.element("p", "comment", &text);
        }
        self.tree(tree, at);
        self.page.end("div");
    }

    /// Writes what is said of a position; in the game itself with a diagram. `moves` are those of its line, `last` is the
    /// last of them as text.
    fn comments<G: Pictured>(
        &mut self,
        comments: &[&str],
        at: &Stand<G>,
        moves: &[G::Move],
        last: &str,
    ) {
        let (marks, texts) = all_divided::<G>(comments);
        for text in &texts {
            self.page.element("p", "comment", text);
        }
        // A comment may be a command of programs only, such as an evaluation.
        if at.is_main && !(texts.is_empty() && marks.is_empty()) {
            let caption = self.say(&message!("After {last}"));
            self.diagram(&at.position, moves, &marks, &caption);
        }
    }

    /// The number before a move, which Black's has only at the beginning of a text.
    fn number<G: Pictured>(&self, ply: usize, is_first: bool) -> String {
        let ply = ply + self.before;
        let number = ply / G::MOVES_A_NUMBER + 1;
        match ply % G::MOVES_A_NUMBER {
            0 => format!("{number}."),
            _ if is_first => format!("{number}…"),
            _ => String::new(),
        }
    }

    fn ply(&mut self, number: &str, text: &str) {
        self.page.begin("span", "ply");
        if !number.is_empty() {
            self.page.element("span", "number", number);
            self.page.text(" ");
        }
        self.page.element("span", "move", text);
        self.page.end("span");
        self.page.text(" ");
    }

    fn diagram<G: Pictured>(
        &mut self,
        position: &G,
        moves: &[G::Move],
        marks: &[Mark],
        caption: &str,
    ) {
        if self.diagrams < MAX_DIAGRAMS {
            self.diagrams += 1;
            let drawing = draw_board(&Scene { position, moves, marks, look: self.look });
            self.page.figure(&drawing, caption);
        }
    }
}

/// The comments after that many plies.
fn comments_at<G: Pictured>(tree: &Tree<G>, ply: usize) -> impl Iterator<Item = &str> {
    tree.comments.iter().filter(move |(of, _)| *of == ply).map(|(_, text)| text.as_str())
}

/// The marks of some comments, and their texts, those that are not empty.
fn all_divided<G: Pictured>(comments: &[&str]) -> (Vec<Mark>, Vec<String>) {
    let mut marks = Vec::new();
    let mut texts = Vec::new();
    for comment in comments {
        let (more, text) = divided::<G>(comment);
        marks.extend(more);
        texts.extend(Some(text).filter(|text| !text.is_empty()));
    }
    (marks, texts)
}

/// Returns true if a tag of that name is in the list of tags.
fn is_listed(name: &str) -> bool {
    !BELOW_TITLE.iter().chain(&ELSEWHERE).any(|other| other.eq_ignore_ascii_case(name))
}

fn glyph_text(glyph: u8) -> String {
    let known = GLYPHS.iter().find(|(number, _)| *number == glyph);
    known.map_or_else(|| format!(" ${glyph}"), |(_, text)| (*text).to_owned())
}

/// Returns true for values that stand for nothing: `?`, `????.??.??`.
fn is_unknown(value: &str) -> bool {
    value.chars().all(|c| matches!(c, '?' | '.' | '-' | '*') || c.is_whitespace())
}

/// The name of a tag for readers; `None` for one that is written as it is.
fn tag_label(name: &str) -> Option<Message> {
    Some(match name.to_ascii_lowercase().as_str() {
        "annotator" => message!("Annotator"),
        "opening" => message!("Opening"),
        "ecco" => message!("Opening code"),
        "timecontrol" => message!("Time control"),
        "redteam" => message!("Red's team"),
        "blackteam" => message!("Black's team"),
        "whiteteam" => message!("White's team"),
        "redelo" => message!("Red's rating"),
        "blackelo" => message!("Black's rating"),
        "whiteelo" => message!("White's rating"),
        "author" => message!("Author"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    fn page<G: Pictured>(games: &str) -> String {
        let mut records = Vec::new();
        for chunk in G::split_games(games.as_bytes(), usize::MAX) {
            G::read_chunk("a", games.as_bytes(), &chunk, &mut |game| {
                records.push(game.expect("a game").record);
            });
        }
        let translate = |message: &Message| message.to_string();
        let notation = MoveNotation::Wxf;
        let reader = Reader { language: "en", notation, translate: &translate };
        game_page(&records[0], BoardLook::default(), reader)
    }

    #[test]
    fn a_page_has_every_move_in_order_and_escapes_texts() {
        let page = page::<Position>(
            "[Red \"<b>A&B</b>\"]\n[Black \"乙\"]\n[Event \"'x' <script>\"]\n[Round \"?\"]\n\n1. C2=5 {best & <only> [%csl Ge4]} \
             (1. P7+1 {a pawn} H8+7 (1. ... P7+1)) H8+7 $6 2. H2+3 1-0\n",
        );
        let mut rest = page.as_str();
        for part in [
            "<title>&lt;b&gt;A&amp;B&lt;/b&gt; – 乙</title>",
            "&#39;x&#39; &lt;script&gt;",
            "<figure>",
            "1.</span> <span class=\"move\">C2=5<",
            "<p class=\"comment\">best &amp; &lt;only&gt;</p>",
            "After 1. C2=5</figcaption>",
            "<div class=\"variation\">",
            "P7+1<",
            "a pawn",
            "1…</span> <span class=\"move\">H8+7<",
            "1…</span> <span class=\"move\">P7+1<",
            "1…</span> <span class=\"move\">H8+7?!<",
            "2.</span> <span class=\"move\">H2+3<",
            "End</figcaption>",
            "1-0 Red wins",
        ] {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} in {page}"));
            rest = &rest[at + part.len()..];
        }
        assert!(!page.contains("<script") && !page.contains("%csl"), "{page}");
        assert_eq!(page.matches("<figure>").count(), 3);
        assert_eq!(page.matches("id=\"man-K\"").count(), 1);
    }

    #[test]
    fn stones_have_a_number_each() {
        let page = page::<Board>("h8i9g8\n");
        assert!(page.contains("2.</span> <span class=\"move\">i9<"), "{page}");
        assert_eq!(Board::start().extent(), [15, 15]);
    }
}
