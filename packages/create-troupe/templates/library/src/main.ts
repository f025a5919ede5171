import { createHelper } from "./helper.ts";

const question = process.argv[2] ?? "What should I take along to Oslo?";
for await (const chunk of createHelper().stream(question)) {
  if (chunk.type === "text") process.stdout.write(chunk.text);
}
process.stdout.write("\n");
