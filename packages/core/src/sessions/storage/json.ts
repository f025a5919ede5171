/** A value that survives a round trip through JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
