//! Names of sets of men.

#![no_main]

use juzhong::game::Side;
use juzhong::tablebase::Material;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok((material, swapped)) = Material::parse_as_asked(text) {
        let asked = material.name(if swapped { Side::Second } else { Side::First });
        assert_eq!(Material::parse_as_asked(&asked).ok().map(|(set, _)| set), Some(material));
        assert_eq!(material.to_string().parse(), Ok(material));
        assert!(material.captures().iter().all(|left| left.men() + 1 == material.men()));
    }
});
