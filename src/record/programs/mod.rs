//! Files of other programs, most of them a tree of one game in bytes.

pub(crate) mod cbf;
pub(crate) mod ccbridge;
pub(crate) mod ccm;
pub(crate) mod che;
pub(crate) mod chn;
pub(crate) mod markup;
pub(crate) mod mxq;
pub(crate) mod old_cbl;
pub(crate) mod pfc;
pub(crate) mod xqf;
pub(crate) mod xqr;
