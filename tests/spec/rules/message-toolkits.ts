import { rulesOf } from "../rule.ts";

/** Rules for the toolkits that send messages. */
export const messageToolkitRules = [
  ...rulesOf("Toolkits", {
    "toolkit.lost-answer":
      "a tool that sends says that the message may have been sent when its answer was lost, and the request is not repeated",
    "toolkit.allowed-recipients":
      "with allowedRecipients a message with any other recipient is refused, and nothing is sent",
    "toolkit.enable-flags": "each tool of a toolkit that sends can be turned off",
    "gmail.config": "the toolkit takes credentialsPath, tokenPath and authClient",
    "gmail.send": "gmail_send sends an email",
    "gmail.search": "gmail_search searches emails",
    "gmail.read": "gmail_read reads an email: its text, also of HTML and nested parts, and a list of attachments",
    "gmail.links": "the addresses of links in HTML are shown behind their texts",
    "gmail.mime": "headers in any script arrive as they were written, on lines of the length that mails have",
    "gmail.header-injection": "no argument adds a header to a mail: line breaks and control characters are refused",
    "gmail.threads": "an answer refers to the mail that it answers, by what gmail_read returned",
    "gmail.max-recipients": "maxRecipients bounds the recipients of a mail, copies included, each counted once",
    "gmail.max-text": "a text beyond maxTextLength is cut, and the result says so",
    "gmail.errors": "each error of Gmail has a sentence that says what to do",
    "gmail.token-refresh":
      "a token is refreshed before it expires and after it was refused, once for all calls at a time",
    "gmail.token-files": "the token files of Google's libraries and examples are read and written in their form",
    "gmail.token-saved":
      "a refreshed token is saved so that its owner alone can read it, and kept in memory where it cannot be saved",
    "gmail.token-revoked": "a permission that was revoked or has expired says to run the token command again",
    "gmail.token-command": "one command makes the token file, with a redirect to this machine, PKCE and a state",
    "gmail.token-scopes": "the token command asks for no more than the tools need",
    "gmail.token-state": "an answer to the token command that has another state changes nothing",
    "gmail.auth-client": "an authClient gives the token, as a string or as google-auth-library does",
    "whatsapp.config": "the toolkit takes accessToken, phoneNumberId, version and recipientWaid",
    "whatsapp.text": "whatsapp_send_text sends a text message",
    "whatsapp.template": "whatsapp_send_template sends a template",
    "whatsapp.default-recipient": "recipientWaid is the recipient of messages that name none",
    "whatsapp.environment": "what the options leave out comes from the environment, at each call",
    "whatsapp.errors": "each error of the Graph API has a sentence that says what to do",
  }),
];
