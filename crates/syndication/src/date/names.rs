//! The words of dates: months in the languages feeds are written in, and the names of zones.
//!
//! Zones are facts of use, not of law: where an abbreviation means several, the one that feeds mean is taken.

/// The month a lower-case word means, told by how it begins.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = word.trim_matches('.');
    if word.chars().count() < 3 {
        return None;
    }
    MONTHS.iter().find(|(_, starts)| starts.iter().any(|start| word.starts_with(start))).map(|(month, _)| *month)
}

/// Minutes east of Greenwich of a zone's name in lower case.
pub(super) fn zone_minutes(name: &str) -> Option<i64> {
    let name = name.trim_end_matches('.');
    if let [letter @ b'a'..=b'z'] = name.as_bytes() {
        // RFC 822's military zones, with the signs it printed.
        return Some(match letter {
            b'a'..=b'i' => -60 * i64::from(letter - b'a' + 1),
            b'k'..=b'm' => -60 * i64::from(letter - b'a'),
            b'n'..=b'y' => 60 * i64::from(letter - b'n' + 1),
            _ => 0,
        });
    }
    ZONES.iter().find(|(_, names)| names.contains(&name)).map(|(minutes, _)| *minutes)
}

/// Longer beginnings stand before the shorter ones that would swallow them.
#[rustfmt::skip]
const MONTHS: &[(u32, &[&str])] = &[
    (6, &["juin", "jun", "jún", "giu", "cze", "červn", "июн", "ιουν", "ιούν", "ιον", "haz", "kesä", "черв"]),
    (7, &["juil", "jul", "júl", "lug", "lip", "červen", "июл", "ιουλ", "ιούλ", "ιολ", "tem", "hein", "лип"]),
    (1, &["jan", "jän", "ene", "gen", "janu", "sty", "led", "янв", "ιαν", "oca", "tammi", "січ", "gener"]),
    (2, &["feb", "fév", "fev", "fév", "lut", "úno", "фев", "φεβ", "şub", "sub", "helmi", "лют"]),
    (5, &["may", "mai", "mag", "mei", "maj", "máj", "máu", "kvě", "мая", "май", "μάι", "μαϊ", "μαι", "touko", "трав"]),
    (3, &["mar", "mär", "mrz", "mrt", "maa", "mär", "már", "bře", "мар", "μάώ", "μαώ", "μαρ", "μάρ", "бер"]),
    (4, &["apr", "avr", "abr", "ápr", "kwi", "dub", "апр", "απρ", "nis", "huhti", "квіт"]),
    (8, &["aug", "aoû", "aou", "ago", "sie", "srp", "авг", "αύγ", "αυγ", "ağu", "agu", "elok", "серп"]),
    (9, &["sep", "set", "sze", "wrz", "zář", "сен", "σεπ", "eyl", "syys", "верес"]),
    (10, &["oct", "okt", "out", "ott", "paź", "paz", "říj", "окт", "οκτ", "eki", "loka", "жовт"]),
    (11, &["nov", "lis", "ноя", "νοέ", "νοε", "kas", "marras", "листоп"]),
    (12, &["dec", "déc", "dez", "dic", "des", "gru", "pro", "дек", "δεκ", "ara", "joulu", "груд"]),
];

#[rustfmt::skip]
const ZONES: &[(i64, &[&str])] = &[
    (-660, &["nut"]),
    (-600, &["hst", "hast", "ckt"]),
    (-540, &["akst", "hadt", "hdt"]),
    (-480, &["pst", "pt", "akdt"]),
    (-420, &["mst", "mt", "pdt"]),
    (-360, &["cst", "ct", "mdt"]),
    (-300, &["est", "et", "cdt", "cot", "pet", "ect"]),
    (-240, &["ast", "at", "edt", "clt", "vet", "bot", "amt"]),
    (-210, &["nst"]),
    (-180, &["adt", "brt", "art", "clst", "uyt", "gft"]),
    (-150, &["ndt"]),
    (-120, &["brst", "fnt"]),
    (-60, &["azot", "cvt"]),
    (0, &["ut", "utc", "gmt", "z", "wet", "egst", "uct"]),
    (60, &["cet", "met", "mez", "bst", "west", "wat", "ist-ie", "dft"]),
    (120, &["cest", "mest", "mesz", "eet", "sast", "cat", "ist-il"]),
    (180, &["eest", "msk", "eat", "trt", "idt", "ast-ar", "oez"]),
    (210, &["irst"]),
    (240, &["msd", "gst", "azt", "samt", "get"]),
    (270, &["irdt", "aft"]),
    (300, &["pkt", "yekt", "uzt", "tmt", "mvt"]),
    (330, &["ist", "slst"]),
    (345, &["npt"]),
    (360, &["almt", "omst", "bdt", "btt"]),
    (390, &["mmt"]),
    (420, &["ict", "wib", "novt", "krat", "hovt"]),
    (480, &["hkt", "sgt", "pht", "awst", "irkt", "wita", "myt", "sct"]),
    (540, &["jst", "kst", "yakt", "wit"]),
    (570, &["acst"]),
    (600, &["aest", "vlat", "chst", "pgt"]),
    (630, &["acdt"]),
    (660, &["aedt", "magt", "sbt", "nct"]),
    (720, &["nzst", "pett", "fjt"]),
    (780, &["nzdt", "tot", "phot"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_month_once() {
        assert_eq!(month("january"), Some(1));
        assert_eq!(month("července"), Some(7));
        assert_eq!(month("června"), Some(6));
        assert_eq!(month("märz"), Some(3));
        assert_eq!(month("sun"), None);
        assert_eq!(month("dimanche"), None);
    }

    #[test]
    fn zones() {
        assert_eq!(zone_minutes("est"), Some(-300));
        assert_eq!(zone_minutes("ist"), Some(330));
        assert_eq!(zone_minutes("a"), Some(-60));
        assert_eq!(zone_minutes("y"), Some(720));
        assert_eq!(zone_minutes("nowhere"), None);
    }
}
