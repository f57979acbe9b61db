// TeX to MathML: reads a JSON array of {tex, display} from stdin, writes an array of MathML to stdout.
const katex = require('katex');

const formulas = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const render = ({tex, display}) =>
  katex.renderToString(tex, {displayMode: display, output: 'mathml', strict: 'error'});
process.stdout.write(JSON.stringify(formulas.map(render)));
