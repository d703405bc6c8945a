//! The documents of normal publishers: of realistic sizes, 6 to 285 KB, with ten to a hundred entries of HTML each.
//! Always the same bytes for the same publisher.

use std::fmt::Write as _;

use trial::Dice;

/// Generated once: entries are assembled from the same paragraphs, so that serving them costs next to nothing.
pub(super) struct Normal {
    paragraphs: Vec<String>,
}

const SIZES: (f64, f64) = (6e3, 285e3);
const PARAGRAPHS: usize = 500;
const SYLLABLES: &[&str] = &["re", "ta", "in", "on", "ma", "ler", "sti", "ver", "con", "tion", "be", "al", "ker", "no"];

impl Normal {
    pub(super) fn new() -> Self {
        let mut dice = Dice::new(7);
        Self { paragraphs: (0..PARAGRAPHS).map(|_| paragraph(&mut dice)).collect() }
    }

    /// How many entries a publisher has.
    pub(super) fn entries(n: usize) -> usize {
        (bytes(n) / 2_500).clamp(10, 100)
    }

    /// The document of a publisher.
    pub(super) fn document(&self, n: usize) -> String {
        let (bytes, entries) = (bytes(n), Self::entries(n));
        let mut out = String::with_capacity(bytes * 5 / 4);
        out.push_str("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>A publisher</title>\n");
        let mut next = n * 37;
        for entry in 0..entries {
            let _ = write!(
                out,
                "<item><guid isPermaLink=\"false\">{n}-{entry}</guid><title>Entry {entry} of {n}</title>\
                 <link>https://site{n}.example/{entry}</link><description><![CDATA["
            );
            let enough = out.len() + (bytes / entries).saturating_sub(200);
            while out.len() < enough {
                out.push_str(&self.paragraphs[next % PARAGRAPHS]);
                next += 1;
            }
            out.push_str("]]></description></item>\n");
        }
        out.push_str("</channel></rss>\n");
        out
    }
}

/// Log-uniform: as many between 6 and 12 KB as between 60 and 120.
fn bytes(n: usize) -> usize {
    // Neighbours must get different random numbers.
    let mut dice = Dice::new((n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let share = dice.roll(1 << 20) as f64 / f64::from(1 << 20);
    (SIZES.0 * (SIZES.1 / SIZES.0).powf(share)) as usize
}

fn paragraph(dice: &mut Dice) -> String {
    let mut out = String::from("<p>");
    for word in 0..20 + dice.roll(60) {
        for _ in 0..=dice.roll(3) {
            out.push_str(dice.pick(SYLLABLES));
        }
        out.push_str(match word % 17 {
            3 => " <a href=\"https://other.example/?utm_source=rss&amp;page=1\">there</a> ",
            9 => " <em>so</em>, ",
            _ => " ",
        });
    }
    out.push_str("</p>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_as_large_as_feeds_are() {
        let normal = Normal::new();
        let mut sizes: Vec<usize> = (0..200).map(|n| normal.document(n).len()).collect();
        sizes.sort_unstable();
        assert!((5_000..15_000).contains(&sizes[0]), "{}", sizes[0]);
        assert!((25_000..70_000).contains(&sizes[100]), "{}", sizes[100]);
        assert!((200_000..400_000).contains(&sizes[199]), "{}", sizes[199]);
    }
}
