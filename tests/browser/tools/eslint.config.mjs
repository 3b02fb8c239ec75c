// The style of the chat page's modules. `make lint` runs it where npm is.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      complexity: ["error", 12],
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", 40],
      curly: ["error", "multi-line"],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-use-before-define": ["error", { functions: false, variables: false, classes: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      // Text only ever enters as text, and patterns stand where tests/attacks/test_page.py finds them.
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-globals": ["error", "event", "name", "RegExp"],
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln", "srcdoc"].map((property) => ({ property })),
      ],
    },
  },
];
