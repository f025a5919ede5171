/** The id of the provider, under which callers send its key. */
export const providerId = "openai";
