//! `ToMessage` for error types.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Ident, Member};

use crate::template::{Arguments, with_fields};

/// The implementation for a type.
pub(crate) fn implementation(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let name = &input.ident;
    let arms = match &input.data {
        Data::Struct(data) => {
            let arm = arm(&quote!(Self), &input.attrs, &data.fields, name)?;
            quote!(#arm)
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let (case, attributes) = (&variant.ident, &variant.attrs);
                arm(&quote!(Self::#case), attributes, &variant.fields, case)
            });
            let arms: Vec<TokenStream> = arms.collect::<syn::Result<_>>()?;
            quote!(#(#arms)*)
        }
        Data::Union(_) => return Err(syn::Error::new(name.span(), "a union has no message")),
    };
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics crate::message::ToMessage for #name #arguments #conditions {
            #[allow(unused_variables, clippy::used_underscore_binding, clippy::too_many_lines)]
            fn message(&self) -> crate::message::Message {
                match self {
                    #arms
                }
            }
        }
    })
}

/// The arm of one variant.
fn arm(
    pattern: &TokenStream,
    attributes: &[Attribute],
    fields: &Fields,
    name: &Ident,
) -> syn::Result<TokenStream> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("error"));
    let attribute = attribute.ok_or_else(|| syn::Error::new(name.span(), "no #[error(\"…\")]"))?;
    let text: TokenStream = attribute.parse_args()?;
    let bindings = fields.members().map(binding);
    let names: Vec<Ident> = fields.members().map(variable).collect();
    let message = if text.to_string() == "transparent" {
        let field = names.first();
        let field = field.ok_or_else(|| syn::Error::new(name.span(), "nothing to hand on"))?;
        quote!({
            use crate::message::{MessageValue as _, TextValue as _};
            crate::message::Message::from((&crate::message::Shown(#field)).value())
        })
    } else {
        Arguments::parse(with_fields(text))?.message(&quote!(crate::message), &names)?
    };
    Ok(quote!(#pattern { #(#bindings,)* } => #message,))
}

/// The pattern that puts a member into its variable.
fn binding(member: Member) -> TokenStream {
    match member {
        Member::Named(name) => name.into_token_stream(),
        Member::Unnamed(_) => {
            let variable = variable(member.clone());
            quote!(#member: #variable)
        }
    }
}

/// The variable of a member: `_0` for the first of a tuple.
fn variable(member: Member) -> Ident {
    match member {
        Member::Named(name) => name,
        Member::Unnamed(index) => format_ident!("_{}", index.index),
    }
}
