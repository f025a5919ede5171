export type { AuthClient, GmailOptions } from "./gmail-options.ts";
export { GmailToolkit } from "./gmail-toolkit.ts";
