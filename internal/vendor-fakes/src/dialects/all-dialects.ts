import type { Dialect } from "../dialect.ts";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** Every wire format that the fake vendor speaks. */
export const allDialects: readonly Dialect[] = [openaiResponses, openaiChat, anthropic, google, ollama];
