// Rules for the page and its tests: `eslint --config contrib/page/eslint.config.mjs src/web/page tests/page`.

export default [{
  ignores: ['**/glyphs.js'],
}, {
  languageOptions: { ecmaVersion: 2024, sourceType: 'module' },
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: {
    'complexity': ['error', 14],
    'eqeqeq': 'error',
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'no-constant-binary-expression': 'error',
    'no-dupe-keys': 'error',
    'no-duplicate-imports': 'error',
    'no-eval': 'error',
    'no-implied-eval': 'error',
    'no-restricted-properties': ['error',
      { property: 'innerHTML', message: 'Texts of files are never markup.' },
      { property: 'outerHTML', message: 'Texts of files are never markup.' },
      { property: 'insertAdjacentHTML', message: 'Texts of files are never markup.' }],
    'no-self-assign': 'error',
    'no-undef-init': 'error',
    'no-unreachable': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    'no-var': 'error',
    'prefer-const': 'error',
  },
}, {
  files: ['tests/**', 'wasm/tests/**'],
  rules: { 'max-lines-per-function': 'off' },
}];
