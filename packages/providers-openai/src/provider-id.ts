/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "openai";
