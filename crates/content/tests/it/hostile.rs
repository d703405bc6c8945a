//! Hostile snippets, one idea each, and their cleaned form.
//!
//! Relative URLs are resolved against `https://example.org/a/`. In the expected values `~>` stands for the end of every
//! link: ` rel="noopener noreferrer" target="_blank">`.

use content::{Limits, clean, plain_text};

use crate::referee::complaint;

/// Case, HTML, cleaned HTML.
pub(crate) const CASES: &[(&str, &str, &str)] = &[
    ("a handler", "<p onclick=\"alert(1)\">x</p>", "<p>x</p>"),
    ("a handler of an image", "<img src=x onerror=alert(1)>", "<img src=\"https://example.org/a/x\">"),
    ("a handler after a slash", "<img/src=\"x.png\"/onload=alert(1)>", "<img src=\"https://example.org/a/x.png\">"),
    ("a handler in capitals", "<B ONMOUSEOVER=alert(1)>x</B>", "<b>x</b>"),
    ("a handler with a line's end", "<p on\nclick=alert(1)>x</p>", "<p>x</p>"),
    ("a script", "a<script>alert(1)</script>b", "ab"),
    ("a script in capitals", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>x", "x"),
    ("a script in pieces", "<scr<script>ipt>alert(1)</scr</script>ipt>", "ipt&gt;alert(1)ipt&gt;"),
    ("a script that never ends", "a<script>alert(1)", "a"),
    ("a script with a comment", "<script><!--<script></script>--></script>x", "x"),
    (
        "a script in a script's text",
        "<script>\"</script><img src=x onerror=alert(1)>\"",
        "<img src=\"https://example.org/a/x\">\"",
    ),
    ("javascript:", "<a href=\"javascript:alert(1)\">x</a>", "x"),
    ("javascript: in capitals", "<a href=\"JaVaScRiPt:alert(1)\">x</a>", "x"),
    ("javascript: with a tab", "<a href=\"java\tscript:alert(1)\">x</a>", "x"),
    ("javascript: with line's ends", "<a href=\"\njava\r\nscript:alert(1)\">x</a>", "x"),
    ("javascript: with entities", "<a href=\"&#106;avascript&colon;alert(1)\">x</a>", "x"),
    ("javascript: with entities without ends", "<a href=\"&#x6A&#x61vascript:alert(1)\">x</a>", "x"),
    ("javascript: after a control", "<a href=\"&#1;javascript:alert(1)\">x</a>", "x"),
    ("javascript: with NUL", "<a href=\"java\u{0}script:alert(1)\">x</a>", "x"),
    (
        "javascript: after white space of Unicode",
        "<a href=\"\u{a0}javascript:alert(1)\">x</a>",
        "<a href=\"https://example.org/a/%C2%A0javascript:alert(1)\"~>x</a>",
    ),
    ("vbscript:", "<a href=\"vbscript:msgbox(1)\">x</a>", "x"),
    ("data: page", "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>", "x"),
    ("data: page with base64", "<a href=\"data:text/html;base64,PHNjcmlwdD4=\">x</a>", "x"),
    ("file:", "<a href=\"file:///etc/passwd\">x</a>", "x"),
    ("blob:", "<a href=\"blob:https://example.org/1\">x</a>", "x"),
    ("view-source:", "<a href=\"view-source:https://example.org/\">x</a>", "x"),
    (
        "a name and a password",
        "<a href=\"https://bank.example:secret@evil.example/\">x</a>",
        "<a href=\"https://evil.example/\"~>x</a>",
    ),
    ("a backslash", "<a href=\"https:\\\\evil.example\\x\">x</a>", "<a href=\"https://evil.example/x\"~>x</a>"),
    (
        "a quote in an address",
        "<a href='https://e.example/\"onclick=\"alert(1)'>x</a>",
        "<a href=\"https://e.example/%22onclick=%22alert(1)\"~>x</a>",
    ),
    (
        "an address with markup",
        "<a href=\"https://e.example/<script>\">x</a>",
        "<a href=\"https://e.example/%3Cscript%3E\"~>x</a>",
    ),
    (
        "a second href",
        "<a href=\"https://e.example/\" href=\"javascript:alert(1)\">x</a>",
        "<a href=\"https://e.example/\"~>x</a>",
    ),
    (
        "ping",
        "<a href=\"https://e.example/\" ping=\"https://evil.example/\">x</a>",
        "<a href=\"https://e.example/\"~>x</a>",
    ),
    (
        "download, rel and target of others",
        "<a href=\"/x\" download rel=\"opener\" target=\"_self\">x</a>",
        "<a href=\"https://example.org/x\"~>x</a>",
    ),
    ("a picture that is a script", "<img src=\"javascript:alert(1)\">", ""),
    ("a picture that is svg", "<img src=\"data:image/svg+xml,<svg onload=alert(1)>\">", ""),
    ("a picture that is svg with base64", "<img src=\"data:image/svg+xml;base64,PHN2Zz4=\">", ""),
    (
        "a picture over http",
        "<img src=\"http://e.example/a/cat.png\" alt=\"A cat\">",
        "<a href=\"http://e.example/a/cat.png\"~>A cat</a>",
    ),
    (
        "a picture over http in a link",
        "<a href=\"/x\"><img src=\"http://e.example/cat.png\" alt=\"A cat\"></a>",
        "<a href=\"https://example.org/x\"~>A cat</a>",
    ),
    ("srcset", "<img src=\"b.png\" srcset=\"javascript:alert(1) 1x\">", "<img src=\"https://example.org/a/b.png\">"),
    ("cite", "<blockquote cite=\"javascript:alert(1)\">x</blockquote>", "<blockquote>x</blockquote>"),
    (
        "background",
        "<table background=\"javascript:alert(1)\"><tr><td background=\"x\">y</td></tr></table>",
        "<table><tbody><tr><td>y</td></tr></tbody></table>",
    ),
    ("xlink", "<a xlink:href=\"javascript:alert(1)\">x</a>", "x"),
    ("base", "<base href=\"https://evil.example/\"><a href=\"x\">y</a>", "<a href=\"https://example.org/a/x\"~>y</a>"),
    ("svg", "<svg onload=alert(1)><script>alert(1)</script><text>x</text></svg>y", "y"),
    ("svg with a link", "<svg><a xlink:href=\"javascript:alert(1)\"><text>x</text></a></svg>y", "y"),
    (
        "svg with a foreign object",
        "<svg><foreignObject><iframe src=\"javascript:alert(1)\"></iframe></foreignObject></svg>y",
        "y",
    ),
    ("svg with use", "<svg><use href=\"data:image/svg+xml,x#y\"/></svg>y", "y"),
    ("svg with an animation", "<svg><a><animate attributeName=href values=javascript:alert(1) /></a></svg>y", "y"),
    ("math", "<math href=\"javascript:alert(1)\">x</math>y", "y"),
    (
        "math with an action",
        "<math><maction actiontype=\"statusline#http://e\" xlink:href=\"javascript:alert(1)\">x</maction></math>y",
        "y",
    ),
    ("style", "<style>@import \"https://evil.example/x.css\"</style>x", "x"),
    ("a style", "<p style=\"background:url(javascript:alert(1));position:fixed\">x</p>", "<p>x</p>"),
    ("a class and an id", "<p class=\"admin\" id=\"login\">x</p>", "<p>x</p>"),
    (
        "an iframe",
        "<iframe src=\"https://e.example/v/1\"></iframe>",
        "<p><a href=\"https://e.example/v/1\"~>e.example/v/1</a></p>",
    ),
    ("an iframe that is a script", "<iframe src=\"javascript:alert(1)\"></iframe>x", "x"),
    ("an iframe with a document", "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>x", "x"),
    ("an object", "<object data=\"javascript:alert(1)\"><p>x</p></object>", "<p>x</p>"),
    ("an embed", "<embed src=\"https://evil.example/x.swf\">x", "x"),
    ("an applet", "<applet code=\"x\"></applet>y", "y"),
    (
        "a form",
        "<form action=\"https://evil.example/\"><input name=\"password\"><button formaction=\"javascript:alert(1)\">x</button></form>",
        "<p>x</p>",
    ),
    ("an input", "<input autofocus onfocus=alert(1)>x", "x"),
    ("a text area", "<textarea><img src=x onerror=alert(1)></textarea>x", "x"),
    ("a select", "<select><option><img src=x onerror=alert(1)></option></select>x", "x"),
    ("meta", "<meta http-equiv=\"refresh\" content=\"0;url=javascript:alert(1)\">x", "x"),
    ("link", "<link rel=\"stylesheet\" href=\"https://evil.example/x.css\">x", "x"),
    ("a frame set", "<frameset onload=alert(1)><frame src=\"javascript:alert(1)\"></frameset>x", "x"),
    ("a body", "<body onload=alert(1) background=\"x\">x</body>", "x"),
    ("a title", "<title><script>alert(1)</script></title>x", "x"),
    ("a template", "<template><script>alert(1)</script><p>x</p></template>y", "y"),
    ("a shadow", "<div><template shadowrootmode=\"open\"><script>alert(1)</script></template></div>x", "<p>x</p>"),
    ("a portal", "<portal src=\"javascript:alert(1)\">x</portal>", "x"),
    (
        "a video",
        "<video src=\"https://e.example/v.mp4\" poster=\"javascript:alert(1)\" onerror=alert(1)>no video</video>",
        "<p><a href=\"https://e.example/v.mp4\"~>v.mp4</a></p>",
    ),
    (
        "a video with sources",
        "<video><source src=\"https://e.example/v.webm\" onerror=alert(1)><source src=\"https://e.example/v.mp4\">fallback</video>",
        "<p><a href=\"https://e.example/v.webm\"~>v.webm</a></p><p>fallback</p>",
    ),
    ("details that open", "<details open ontoggle=alert(1)><summary>x</summary>y</details>", "<p>x</p><p>y</p>"),
    ("a marquee", "<marquee onstart=alert(1)>x</marquee>", "<p>x</p>"),
    ("a custom element", "<x-y onclick=alert(1) is=\"z\">x</x-y>", "x"),
    (
        "noscript with a title",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">x</p></noscript>",
        "<p>x</p>",
    ),
    ("noscript with a style", "<noscript><style></noscript><img src=x onerror=alert(1)></style></noscript>x", "x"),
    (
        "math, a table and a style",
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "",
    ),
    (
        "svg and a style",
        "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
        "<p><img src=\"https://example.org/a/1\">\"&gt;</p>",
    ),
    ("svg and a title", "<svg><title><style></title><img src=x onerror=alert(1)></style></svg>x", "x"),
    ("a form in a form", "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>", ""),
    (
        "annotation-xml",
        "<math><annotation-xml encoding=\"text/html\"><style><img src=x onerror=alert(1)></style></annotation-xml></math>x",
        "x",
    ),
    ("cdata in svg", "<svg><![CDATA[<img src=x onerror=alert(1)>]]></svg>x", "x"),
    ("cdata", "<![CDATA[<img src=x.png onerror=alert(1)>]]>x", "]]&gt;x"),
    ("xmp", "<xmp><img src=x onerror=alert(1)></xmp>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
    ("plaintext", "<plaintext><img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
    ("noembed", "<noembed><img src=x onerror=alert(1)></noembed>x", "x"),
    (
        "a comment that ends early",
        "<!--><img src=x.png onerror=alert(1)>-->x",
        "<img src=\"https://example.org/a/x.png\">--&gt;x",
    ),
    (
        "a comment that ends with a bang",
        "<!-- --!><img src=x.png onerror=alert(1)> -->x",
        "<img src=\"https://example.org/a/x.png\"> --&gt;x",
    ),
    ("a comment that never ends", "x<!-- <p>y", "x"),
    ("a conditional comment", "<!--[if IE]><script>alert(1)</script><![endif]-->x", "x"),
    ("an instruction", "<?php echo \"<script>\" ?>x", "\" ?&gt;x"),
    ("a doctype", "<!DOCTYPE html [<!ENTITY x \"y\">]>x", "]&gt;x"),
    (
        "markup in an alternative",
        "<img src=\"b.png\" alt=\"&lt;script&gt;&quot;onerror=&quot;alert(1)\">",
        "<img src=\"https://example.org/a/b.png\" alt=\"&lt;script&gt;&quot;onerror=&quot;alert(1)\">",
    ),
    (
        "a quote that ends an attribute",
        "<img src=\"b.png\" alt='\"><script>alert(1)</script>'>",
        "<img src=\"https://example.org/a/b.png\" alt=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\">",
    ),
    ("markup as text", "&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("markup as text, twice", "&amp;lt;script&amp;gt;", "&amp;lt;script&amp;gt;"),
    ("brackets of other scripts", "＜script＞ ‹script›", "＜script＞ ‹script›"),
    ("a tag with a slash for a space", "<a/href=\"javascript:alert(1)\">x</a>", "x"),
    ("an attribute without quotes", "<a href=javascript:alert(1)//>x</a>", "x"),
    ("an unfinished tag", "x<a href=\"https://e.example/", "x"),
    ("an unfinished entity", "x &#x3c;script&#x3e; &lt", "x &lt;script&gt; &lt;"),
    ("overlong and lone", "x</b></script></p></table>y", "x<p>y</p>"),
    ("NUL", "a\u{0}b<p\u{0}>c", "ab<p>c</p>"),
    ("controls", "a\u{1}\u{1b}[31mb\u{7f}\u{85}c", "a[31mbc"),
    ("text turned around", "a\u{202e}gnp.exe\u{202c} b\u{2066}c\u{2069}", "agnp.exe bc"),
    ("text turned around by entities", "a&#8238;b", "ab"),
    ("joiners stay", "👩\u{200d}👧 می\u{200c}خواهم", "👩\u{200d}👧 می\u{200c}خواهم"),
    ("a byte order mark", "\u{feff}x\u{feff}", "x"),
    ("what is no character", "x\u{fffe}y&#xfdd0;", "xy"),
    ("a dot", "<img src=\"https://e.example/x.gif\" width=\"1\" height=\"1\">x", "x"),
    ("a dot by style", "<img src=\"https://e.example/x.gif\" style=\"height:1px;width:1px\">x", "x"),
    ("a hidden picture", "<img src=\"https://e.example/x.gif\" style=\"display: none\">x", "x"),
    ("a counter", "<img src=\"https://feeds.feedburner.com/~r/blog/~4/x\">x", "x"),
    ("a hidden paragraph", "<p style=\"display:none\">x</p><div hidden>y</div>z", "z"),
    (
        "a picture that is loaded late",
        "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" data-src=\"b.png\"><noscript><img src=\"b.png\"></noscript>",
        "<img src=\"https://example.org/a/b.png\">",
    ),
    (
        "a picture that is loaded late, in another size, and again",
        "<img src=\"/blank.gif\" data-src=\"b-small.png\">\n <noscript> <img src=\"b.png\"></noscript>",
        "<img src=\"https://example.org/a/b-small.png\">\n  ",
    ),
    (
        "a picture for readers without scripts, and again",
        "<noscript><img src=\"b.png\"></noscript><img data-src=\"b-small.png\">",
        "<img src=\"https://example.org/a/b.png\">",
    ),
    (
        "two pictures for readers without scripts",
        "<noscript><img src=\"b.png\"><img src=\"c.png\"></noscript>",
        "<img src=\"https://example.org/a/b.png\"><img src=\"https://example.org/a/c.png\">",
    ),
    (
        "words between pictures",
        "<img data-src=\"b.png\">words<noscript><img src=\"c.png\"></noscript>",
        "<img src=\"https://example.org/a/b.png\">words<img src=\"https://example.org/a/c.png\">",
    ),
    (
        "a picture with sources",
        "<picture><source srcset=\"s.webp 1x\"><source srcset=\"m.webp 1x,l.webp 2x\"><img alt=\"x\"></picture>",
        "<img src=\"https://example.org/a/l.webp\" alt=\"x\">",
    ),
    (
        "a picture with sources and an address",
        "<picture><source srcset=\"s.webp\"><img src=\"b.png\"></picture><img>",
        "<img src=\"https://example.org/a/b.png\">",
    ),
    ("sources that are scripts", "<picture><source srcset=\"javascript:alert(1) 2x\"><img></picture>", ""),
    ("sources outside of a picture", "<source srcset=\"s.webp\"><img>", ""),
    ("divisions", "<div>one<div>two</div>three</div>four", "<p>one</p><p>two</p><p>three</p><p>four</p>"),
    (
        "a division in a link",
        "<div><a href=\"/x\"><div>one</div><div>two</div></a></div>",
        "<a href=\"https://example.org/x\"~><p>one</p><p>two</p></a>",
    ),
    (
        "links in links",
        "<a href=\"/1\">one<a href=\"/2\">two</a></a>",
        "<a href=\"https://example.org/1\"~>one</a><a href=\"https://example.org/2\"~>two</a>",
    ),
    ("words between cells", "<table>a<tr>b<td>c</table>", "ab<table><tbody><tr><td>c</td></tr></tbody></table>"),
    (
        "a caption",
        "<table><caption>a</caption><tr><td>b</td></tr></table>",
        "<table><tbody><tr><td>a</td></tr></tbody><tbody><tr><td>b</td></tr></tbody></table>",
    ),
    (
        "a foot",
        "<table><tfoot><tr><td>a</td></tr></tfoot></table>",
        "<table><tbody><tr><td>a</td></tr></tbody></table>",
    ),
    (
        "spans of cells",
        "<table><tr><td colspan=\"2\" rowspan=\"99999\" onclick=\"x\">a</td></tr></table>",
        "<table><tbody><tr><td colspan=\"2\">a</td></tr></tbody></table>",
    ),
    ("cells without a table", "<td>a</td><tr>b</tr>", "ab"),
    ("a paragraph in a button in a paragraph", "<p>a<button><p>b</p></button>c</p>", "<p>a</p><p>b</p>c"),
    ("headings in headings", "<h1>a<section><h2>b</h2></section></h1>", "<h1>a<br>b</h1>"),
    ("items in items", "<li>a<section><li>b</li></section></li>", "<li>a</li><li>b</li>"),
    ("nothing inside", "<p><b></b></p><ul><li> </li></ul><p>&nbsp;</p><p><br></p>x", "<p>x</p>"),
    ("a line's end in pre", "<pre>\n\n x\n</pre>", "<pre>\n\n x\n</pre>"),
    (
        "an empty paragraph at the end of a cell",
        "<table><tr><td>a<p></p></td><td>b</td></tr></table>",
        "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
    ),
    (
        "a form between cells",
        "<table><tr><td>a</td><form><br></form><td>b</td></tr></table>",
        "<br><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
    ),
    ("definitions", "<dl><dt>a</dt><dd>b</dd></dl>", "<p>a</p><p>b</p>"),
    ("bold that never ends", "<p><b>a</p><p>b</p>", "<p><b>a</b></p><p><b>b</b></p>"),
];

#[test]
fn hostile_snippets_become_harmless() {
    for (case, html, expected) in CASES {
        let cleaned = clean(html, Some("https://example.org/a/"), &Limits::ENTRY);
        let expected = expected.replace("~>", " rel=\"noopener noreferrer\" target=\"_blank\">");
        assert_eq!(cleaned.html, expected, "{case}");
        assert_eq!(complaint(&cleaned.html), None, "{case}");
        assert_eq!(cleaned.text.replace('\n', " "), plain_text(html), "{case}");
        let again = clean(&cleaned.html, Some("https://example.org/a/"), &Limits::ENTRY);
        assert_eq!(again, cleaned, "{case}");
    }
}
