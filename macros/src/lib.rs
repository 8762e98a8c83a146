//! Macros that keep a text's template and its values apart, for the room `message` of the package `juzhong`.
//!
//! `thiserror` and `format!` write a text and forget how it was made; translators need the template. [`build`] takes
//! what `format!` takes, and [`ToMessage`](derive@ToMessage) reads the attributes `#[error("…")]` that `thiserror`
//! reads: both make a message of the template and the values.

mod derive;
mod template;

use proc_macro::TokenStream;
use proc_macro2::TokenTree;

/// A message of a format string and its arguments, as `format!` takes them. In front of them stands the path of the
/// module `message`.
#[proc_macro]
pub fn build(input: TokenStream) -> TokenStream {
    let mut tokens = proc_macro2::TokenStream::from(input).into_iter();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let room = tokens.by_ref().take_while(|token| !is_comma(token)).collect();
    let made = template::Arguments::parse(tokens.collect()).and_then(|it| it.message(&room, &[]));
    made.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// `ToMessage` for an error type, by the attributes `#[error("…")]` of its variants. A value that is itself a
/// `ToMessage` becomes a message within the message; `transparent` hands on the message of the only field.
#[proc_macro_derive(ToMessage)]
pub fn to_message(input: TokenStream) -> TokenStream {
    derive::implementation(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
