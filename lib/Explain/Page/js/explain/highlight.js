// Colours of the texts: a few words of each language, strings, numbers and comments.

const words = (text) => new RegExp(`^(?:${text.trim().replaceAll(/\s+/g, '|')})$`);

const WORDS = {
  tile:
    words(`and as assert break class continue def elif else for from global if import in is lambda not or pass return
               while with None True False`),
  mlir: words('module func attributes to step iter_args dense true false'),
  llvm: words(`define declare call br label ret load store phi add sub mul fadd fmul fsub icmp fcmp select getelementptr
               extractvalue insertvalue asm tail bitcast zext sext trunc and or xor shl lshr switch`),
  ptx:
    words(`mov ld st add sub mul mad fma setp bra ret cvt bar shfl mma wgmma cp mbarrier selp and or xor shl shr ex2 rcp
              atom red fence ldmatrix stmatrix`),
  sass: /^[A-Z][A-Z0-9]{2,}$/,
};
const TYPES = {
  tile: words('tl triton constexpr'),
  mlir: words('tensor memref i1 i8 i16 i32 i64 f8\\w* f16 bf16 f32 f64 index'),
  llvm: words('i1 i8 i16 i32 i64 half bfloat float double ptr void'),
  ptx: words('b8 b16 b32 b64 u8 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 f32 f64 pred'),
  sass: words('R\\d+ UR\\d+ P\\d UP\\d RZ PT URZ'),
};
const COMMENTS = {
  tile: '#.*',
  mlir: '\\/\\/.*|loc\\(.*',
  llvm: ';.*',
  ptx: '\\/\\/.*',
  sass: '\\/\\/.*|\\/\\*.*?\\*\\/'
};
const patterns = {};

const REST = [
  /(?<string>"[^"]*"?|'[^']*'?)/, /(?<value>[%@!#$][\w.$]+)/, /(?<number>\b(?:0x[\da-fA-F]+|\d[\d.]*(?:e[-+]?\d+)?)\b)/,
  /(?<word>[A-Za-z_]\w*)/
];

function patternOf(language) {
  const parts = [`(?<comment>${COMMENTS[language]})`, ...REST.map((part) => part.source)];
  return patterns[language] ??= new RegExp(parts.join('|'), 'g');
}

function classOf(groups, language) {
  if (groups.comment !== undefined) return 'hl-comment';
  if (groups.string !== undefined) return 'hl-string';
  if (groups.number !== undefined) return 'hl-number';
  if (groups.value !== undefined) return 'hl-value';
  if (WORDS[language].test(groups.word)) return 'hl-word';
  return TYPES[language].test(groups.word) ? 'hl-type' : '';
}

/// The text as a list of texts and coloured spans.
function highlight(text, language) {
  if (!(language in WORDS)) return [text];
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(patternOf(language))) {
    const name = classOf(match.groups, language);
    if (!name) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(h('span', {class: name}, match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
