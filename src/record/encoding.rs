/// How a source's bytes stand for characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// With or without a byte order mark.
    #[default]
    Utf8,
    /// Simplified Chinese; GBK and GB2312 are parts of it.
    Gb18030,
    /// Traditional Chinese.
    Big5,
}
