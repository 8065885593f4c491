/** Prints the OpenAPI document of this checkout. Documents are compared, so all name one address. */
import { openApi } from "../api/app.ts";
import packageJson from "../package.json" with { type: "json" };

const { version } = packageJson;
console.log(JSON.stringify(openApi({ version, baseUrl: "https://assay.example.com" })));
