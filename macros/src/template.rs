//! Format strings with their arguments.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Expr, LitStr, Token};

/// The arguments of `format!`.
pub(crate) struct Arguments {
    template: LitStr,
    values: Vec<Argument>,
}

/// An argument behind the format string.
struct Argument {
    name: Option<Ident>,
    value: TokenStream,
}

/// A place for a value in a format string.
struct Placeholder {
    /// Empty for values that are counted.
    name: String,
    /// The text after the colon, with it; empty if there is none.
    spec: String,
}

impl Arguments {
    /// Parses the arguments of `format!`.
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        Self::parse_within.parse2(tokens)
    }

    fn parse_within(input: ParseStream<'_>) -> syn::Result<Self> {
        let template = input.parse()?;
        let mut values = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                values.push(input.parse()?);
            }
        }
        Ok(Self { template, values })
    }

    /// The expression that makes the message. `fields` are the names that numbers stand for where no argument has that
    /// number.
    pub(crate) fn message(&self, room: &TokenStream, fields: &[Ident]) -> syn::Result<TokenStream> {
        let template = &self.template;
        let bound: Vec<Ident> = self.values.iter().enumerate().map(Argument::bound).collect();
        let given = self.values.iter().map(|argument| &argument.value);
        let (mut made, mut counted) = (Vec::new(), 0..);
        for placeholder in placeholders(template)? {
            let Placeholder { name, spec } = &placeholder;
            let value = if name.is_empty() {
                let place = counted.next().unwrap_or(usize::MAX);
                bound.get(place).cloned().ok_or_else(|| self.fault("a value is missing"))?
            } else {
                self.named(name, &bound, fields)
            };
            made.push(match spec.as_str() {
                "" => quote!((#name.into(), (&#room::Shown(&#value)).value())),
                _ => {
                    let format = LitStr::new(&format!("{{{spec}}}"), template.span());
                    quote!((#name.into(), #room::Value::Text(::std::format!(#format, #value))))
                }
            });
        }
        if made.is_empty() {
            return Ok(quote!(#room::Message::new(#template, ::std::vec::Vec::new())));
        }
        Ok(quote!({
            use #room::{MessageValue as _, TextValue as _};
            match (#(&(#given),)*) {
                (#(#bound,)*) => #room::Message::new(#template, ::std::vec![#(#made),*]),
            }
        }))
    }

    /// The variable for a name of the format string: an argument, a field by its number, or what it captures.
    fn named(&self, name: &str, bound: &[Ident], fields: &[Ident]) -> Ident {
        if let Ok(number) = name.parse::<usize>() {
            let unnamed = self.values.get(number).filter(|argument| argument.name.is_none());
            let bound = unnamed.and_then(|_| bound.get(number));
            if let Some(variable) = bound.or_else(|| fields.get(number)) {
                return variable.clone();
            }
        }
        Ident::new(name, self.template.span())
    }

    fn fault(&self, what: &str) -> syn::Error {
        syn::Error::new(self.template.span(), what)
    }
}

impl Argument {
    /// The variable that holds it.
    fn bound((number, argument): (usize, &Self)) -> Ident {
        argument.name.clone().unwrap_or_else(|| format_ident!("__value{number}"))
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_named = input.peek(syn::Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = is_named.then(|| input.parse()).transpose()?;
        if is_named {
            input.parse::<Token![=]>()?;
        }
        let value = input.parse::<Expr>()?;
        Ok(Self { name, value: quote!(#value) })
    }
}

/// The places for values, in their order.
fn placeholders(template: &LitStr) -> syn::Result<Vec<Placeholder>> {
    let text = template.value();
    let mut chars = text.chars().peekable();
    let mut found = Vec::new();
    while let Some(c) = chars.next() {
        if c != '{' || chars.next_if_eq(&'{').is_some() {
            continue;
        }
        let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
        let (name, spec) = match inside.find(':') {
            Some(at) => inside.split_at(at),
            None => (inside.as_str(), ""),
        };
        let is_name = |c: char| c == '_' || c.is_alphanumeric();
        if !name.chars().all(is_name) || spec.contains(".*") {
            return Err(syn::Error::new(
                template.span(),
                "no such place for a value is known here",
            ));
        }
        found.push(Placeholder { name: name.to_owned(), spec: spec.to_owned() });
    }
    Ok(found)
}

/// The expressions of a list with commas between them, as `thiserror` writes them: `.0` and `.name` are fields.
pub(crate) fn with_fields(tokens: TokenStream) -> TokenStream {
    let mut begins = true;
    let mut tokens = tokens.into_iter().peekable();
    let mut replaced = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '.' && begins => {
                match tokens.next() {
                    Some(TokenTree::Literal(number)) => {
                        let field = format_ident!("_{}", number.to_string(), span = number.span());
                        replaced.extend([TokenTree::Ident(field)]);
                    }
                    other => replaced.extend(other),
                }
                begins = false;
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_fields(group.stream()));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
                begins = false;
            }
            token => {
                begins = matches!(&token, TokenTree::Punct(mark) if mark.as_char() != '?');
                replaced.extend([token]);
            }
        }
    }
    replaced
}
