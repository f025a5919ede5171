/** The vendor, and the name that its key goes by. */
export const providerId = "ollama";
