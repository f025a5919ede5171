import { toolkitSuite } from "@troupe-internal/toolkit-fakes";
import { describe, it } from "vitest";
import { answer } from "../test/gmail.ts";
import { GmailToolkit } from "./index.ts";

const mail = { to: ["Ann Lee <ann@example.com>"], subject: "Hello", text: "Dear Ann" };

describe("GmailToolkit", () => {
  toolkitSuite(it, {
    connect: ({ credential, ...options }) =>
      new GmailToolkit({
        ...options,
        authClient: { getAccessToken: async () => await Promise.resolve({ token: credential }) },
      }),
    credential: { option: "authClient", environment: [] },
    tools: {
      gmail_send: {
        effect: "once",
        args: mail,
        answer,
        wrongArgs: [
          {},
          { ...mail, to: [] },
          { ...mail, to: "ann@example.com" },
          { ...mail, to: Array.from({ length: 21 }, (_, index) => `ann${index}@example.com`) },
          { ...mail, subject: "" },
          { ...mail, subject: "x".repeat(501) },
          { ...mail, text: "x".repeat(100_001) },
          { ...mail, html: "<b>no</b>" },
        ],
      },
      gmail_search: {
        effect: "pure",
        args: { query: "from:ann", maxResults: 2 },
        answer,
        artifact: "search_hits",
        wrongArgs: [{}, { query: "" }, { query: "x".repeat(401) }, { query: "a", maxResults: 11 }],
      },
      gmail_read: {
        effect: "pure",
        args: { id: "18c1a2b3c4d5e6f1" },
        answer,
        wrongArgs: [{}, { id: "" }, { id: "x".repeat(65) }, { id: 1 }],
      },
    },
  });
});
