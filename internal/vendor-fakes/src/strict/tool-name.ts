/** What OpenAI and Anthropic allow as the name of a tool. */
export const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
