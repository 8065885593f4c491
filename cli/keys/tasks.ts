/** API keys as a task; the same as `npm run keys`, whose words follow its name. */
import { task } from "hardhat/config";
import { ArgumentType } from "hardhat/types/arguments";

/** What a key is made with. */
const OPTIONS = { name: "Whose key it is", email: "How to reach them", purpose: "What it is for" } as const;
type Given = Readonly<Partial<Record<keyof typeof OPTIONS, string>>> & {
  readonly words: readonly string[];
};

const text = (name: keyof typeof OPTIONS) => ({
  name,
  description: OPTIONS[name],
  type: ArgumentType.STRING_WITHOUT_DEFAULT as const,
  defaultValue: undefined,
});

/** Loads the command when it runs. */
const action = async () => {
  const { keysMain } = await import("../keys.ts");
  return {
    default: async ({ words, ...given }: Given) => {
      // One word with the value: a value may begin with dashes.
      const options = Object.keys(OPTIONS).flatMap((name) => {
        const value = given[name as keyof typeof OPTIONS];
        return value === undefined ? [] : [`--${name}=${value}`];
      });
      process.exitCode = await keysMain([...words, ...options]);
    },
  };
};

export const KEYS_TASK = task("keys", "API keys: list, apply, create, approve, revoke, limit, history")
  .addVariadicArgument({ name: "words", description: "As after npm run keys --", defaultValue: [] })
  .addOption(text("name"))
  .addOption(text("email"))
  .addOption(text("purpose"))
  .setAction(action)
  .build();
