//! Files of other programs, most of them a tree of one game in bytes.

pub(super) mod cbf;
pub(super) mod ccbridge;
pub(super) mod ccm;
pub(super) mod che;
pub(super) mod chn;
pub(super) mod markup;
pub(super) mod mxq;
pub(super) mod old_cbl;
pub(super) mod pfc;
pub(super) mod xqf;
pub(super) mod xqr;
