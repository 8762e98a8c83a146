//! Published perft counts, as data: FEN and the counts from depth 1 on.

use juzhong::game::{divide, perft};
use juzhong::xiangqi::Position;

/// Counts to depth 4 run by default.
const SUITE: [(&str, [u64; 5]); 9] = [
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        [44, 1_920, 79_666, 3_290_240, 133_312_995],
    ),
    (
        "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
        [38, 1_128, 43_929, 1_339_047, 53_112_976],
    ),
    (
        "1cbak4/9/n2a5/2p1p3p/5cp2/2n2N3/6PCP/3AB4/2C6/3A1K1N1 w - - 0 1",
        [7, 281, 8_620, 326_201, 10_369_923],
    ),
    ("5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w - - 0 1", [25, 424, 9_850, 202_884, 4_739_553]),
    (
        "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w - - 0 1",
        [28, 516, 14_808, 395_483, 11_842_230],
    ),
    ("R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w - - 0 1", [21, 364, 7_626, 162_837, 3_500_505]),
    ("C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w - - 0 1", [28, 222, 6_241, 64_971, 1_914_306]),
    ("4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w - - 0 1", [23, 345, 8_124, 149_272, 3_513_104]),
    ("2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w - - 0 1", [21, 195, 3_883, 48_060, 933_096]),
];

#[test]
fn published_counts_to_depth_5() {
    for (fen, counts) in SUITE {
        let mut position = Position::from_fen(fen).expect(fen);
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&mut position, depth), count, "{fen}, depth {depth}");
        }
        assert_eq!(position, Position::from_fen(fen).expect(fen), "perft restores the position");
    }
}

#[test]
#[ignore = "about half a minute: cargo test --release --test it rules::perft -- --ignored"]
fn published_count_at_depth_6() {
    assert_eq!(perft(&mut Position::start(), 6), 5_392_831_844);
}

#[test]
fn divide_adds_up() {
    let mut position = Position::start();
    let parts = divide(&mut position, 3);
    assert_eq!(parts.len(), 44);
    assert_eq!(parts.iter().map(|&(_, nodes)| nodes).sum::<u64>(), 79_666);
    assert!(divide(&mut position, 0).is_empty());
    assert_eq!(perft(&mut position, 0), 1);
}
