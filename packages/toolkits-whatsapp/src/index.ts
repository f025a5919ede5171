export type { WhatsAppToolkitOptions } from "./whatsapp-options.ts";
export { WhatsAppToolkit } from "./whatsapp-toolkit.ts";
