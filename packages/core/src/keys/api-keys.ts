/** One key per vendor, by `providerId`; `google` serves `vertex` too. */
export type ApiKeys = { readonly [providerId: string]: string | undefined };
