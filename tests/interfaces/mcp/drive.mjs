// How does the official TypeScript client find the server? Calls every tool and prints what came, as one JSON object.
// node drive.mjs FOLDER_OF_MODULES stdio COMMAND ARGUMENT…   or   node drive.mjs FOLDER_OF_MODULES http ADDRESS
import { createRequire } from "node:module";

const [modules, way, ...rest] = process.argv.slice(2);
const load = createRequire(`${modules}/`);
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");

const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(rest[0]));
const client = new Client({ name: "drive", version: "0" });
await client.connect(transport);

const text = async (name, args) => {
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress: () => {} });
  return { text: result.content[0].text, parts: result.content.length, error: result.isError ?? false, structured: "structuredContent" in result };
};
const said = {
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  search: await text("search", { query: "what does the customer have to pay", limit: 2 }),
  symbol: await text("navigate", { what: "symbol", target: "sendConfirmation" }),
  outline: await text("navigate", { what: "outline", target: "src/basket.py" }),
  read: await text("navigate", { what: "read", target: "src/mail.js:2-2" }),
  calls: await text("search", { query: "where is sendConfirmation defined" }),
  map: await text("navigate", { what: "map" }),
  schema: await text("schema", { query: "orders" }),
  index: await text("index", {}),
  status: await text("status", {}),
  wrong: await text("search", { query: "x", limit: 0 }),
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
  resource: (await client.readResource({ uri: "clew://outline/src/mail.js" })).contents[0].text,
  page: (await client.readResource({ uri: "clew://map" })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  prompt: (await client.getPrompt({ name: "explain", arguments: { what: "the basket" } })).messages[0].content.text,
};
await client.close();
process.stdout.write(JSON.stringify(said));
