export type { WhatsAppOptions } from "./whatsapp-options.ts";
export { WhatsAppToolkit } from "./whatsapp-toolkit.ts";
