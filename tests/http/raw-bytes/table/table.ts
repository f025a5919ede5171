import { a2a0Entries } from "./a2a-0.ts";
import { a2a1Entries, a2aErrorEntries } from "./a2a-1.ts";
import { a2aCardEntries } from "./a2a-cards.ts";
import { a2aRestEntries } from "./a2a-rest.ts";
import { chatEntries } from "./chats.ts";
import type { Entry } from "./entry.ts";
import { storedRunEntries } from "./stored-runs.ts";
import { mcpEntries } from "./mcp.ts";
import { openAiEntries } from "./openai-api.ts";
import { runEntries } from "./runs.ts";
import { serviceEntries } from "./service.ts";
import { sessionEntries } from "./sessions.ts";
import { shutdownEntries } from "./shutdown.ts";
import { uploadEntries } from "./uploads.ts";

/** All requests, in the order in which they are sent. Later ones read what earlier ones have stored. */
export const table: readonly Entry[] = [
  ...serviceEntries,
  ...runEntries,
  ...uploadEntries,
  ...storedRunEntries,
  ...chatEntries,
  ...openAiEntries,
  ...a2aCardEntries,
  ...a2a0Entries,
  ...a2a1Entries,
  ...a2aErrorEntries,
  ...a2aRestEntries,
  ...mcpEntries,
  ...sessionEntries,
  ...shutdownEntries,
];
