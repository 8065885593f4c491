// node_modules/preact/dist/preact.mjs
var n;
var t$1;
var r$1;
var u$3;
var i$2;
var f$3;
var o$3;
var e$1;
var l$2;
var c$2;
var a$3;
var s$2;
var h$2 = Symbol.for("pv");
var p$2 = {};
var y$2 = [];
var v$2 = /^m(i|n|o|s|text|space)$/;
var w$2 = Array.isArray;
var d$2 = y$2.slice;
var _$2 = Object.assign;
function g$2(n) {
	n && n.parentNode && n.remove();
}
function k$2(n, t, r) {
	var u, i, f, o = {}, e = arguments.length;
	for (f in t) "key" == f ? u = t[f] : "ref" == f && "function" != typeof n ? i = t[f] : o[f] = t[f];
	return e > 2 && (o.children = e > 3 ? d$2.call(arguments, 2) : r), m$2(n, o, u, i, null);
}
function m$2(r, u, i, f, o) {
	var e = {
		type: r,
		props: u,
		key: i,
		ref: f,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: h$2,
		__v: o || ++t$1,
		__i: -1,
		__u: 0
	};
	return !o && n.vnode && n.vnode(e), e;
}
function $$1(n) {
	return n.children;
}
function x$1(n, t) {
	this.props = n, this.context = t, this.__g = 0;
}
function S(n, t) {
	if (null == t) return n.__ && S(n.__, n.__i + 1);
	for (var r; t < n.__k.length; t++) if ((r = n.__k[t]) && r.__e) return r.__e;
	return "function" != typeof n.type || n.props.__P ? null : S(n);
}
function C$1(t) {
	var r, u = t.__v, i = u.__e, f = [], o = [], e = t.__P;
	e && ((r = _$2({ constructor: h$2 }, u)).__v = u.__v + 1, n.vnode && n.vnode(r), z$2(e, r, u, t.__n, e.namespaceURI, 32 & u.__u ? [i] : null, f, i || S(u), 32 & u.__u, o), r.__v = u.__v, r.__.__k[r.__i] = r, E$1(f, r, o), u.__ = u.__e = null, r.__e != i && j$2(r));
}
function j$2(n) {
	if ((n = n.__) && n.__c && !n.props.__P) return n.__e = null, n.__k.some(function(t) {
		return t && (n.__e = t.__e);
	}), j$2(n);
}
function L(t) {
	(8 & t.__g || (t.__g |= 8, u$3.push(t), f$3++)) && i$2 == n.debounceRendering || ((i$2 = n.debounceRendering) || queueMicrotask)(H$1);
}
function H$1() {
	try {
		for (var n, t = 1; u$3.length;) u$3.length > t && u$3.sort(o$3), n = u$3.shift(), t = u$3.length, 8 & n.__g && C$1(n);
	} finally {
		(f$3 = u$3.length) && (i$2 || queueMicrotask)(H$1);
	}
}
function I$1(n, t, r, u, i, f, o, e, l, c, a) {
	var s, h, v, w, d, _, g = u.__k || y$2, k = t.length;
	for (l = q$1(r, t, g, l, k), s = 0; s < k; s++) null != (v = r.__k[s]) && (h = ~v.__i && g[v.__i] || p$2, v.__i = s, _ = z$2(n, v, h, i, f, o, e, l, c, a), w = v.__e, (h.ref != v.ref || 8 & h.__u) && (h.ref && G$1(h.ref, null, v, h), v.ref && a.push(v.ref, v.__c || w, v)), d = d || w, 4 & v.__u ? (l = A$1(v, l, n, !h.__v), h.__e && (h.__e = null)) : "function" == typeof v.type && void 0 !== _ ? l = _ : w && (l = w.nextSibling), v.__u &= -21);
	return r.__e = d, l;
}
function q$1(n, t, r, u, i) {
	var f, o, e, l, c, a, s, p, y, v = r.length, d = v, _ = 0, g = 0, k = n.__k = Array(i);
	for (f = 0; f < i; f++) null != (o = t[f]) && "boolean" != typeof o && "function" != typeof o ? ("object" != typeof o || o.constructor === String ? o = k[f] = m$2(null, o) : w$2(o) ? o = k[f] = m$2($$1, { children: o }) : o.constructor === h$2 && o.__b ? o = k[f] = m$2(o.type, o.props, o.key, o.ref, o.__v) : k[f] = o, l = f + _, o.__ = n, o.__b = n.__b + 1, e = null, ~(c = o.__i = P$1(o, r, l, d)) && (d--, (e = r[c]) && (e.__u |= 2)), e && e.__v ? (o.__u |= 16, c == l - 1 ? _-- : c == l + 1 ? _++ : c != l && (c > l ? _-- : _++, g = 1)) : (~c || (i > v ? _-- : i < v && _++), "function" != typeof o.type && (o.__u |= 4))) : k[f] = null;
	if (g) {
		for (a = [], s = [], f = 0; f < i; f++) if ((o = k[f]) && 16 & o.__u) {
			for (_ = 0, p = a.length; _ < p;) a[y = _ + p >> 1] < o.__i ? _ = y + 1 : p = y;
			a[_] = o.__i, s[f] = _ + 1;
		}
		for (_ = a.length; f--;) s[f] && (s[f] == _ ? _-- : k[f].__u |= 4);
	}
	if (d) for (f = 0; f < v; f++) !(e = r[f]) || 2 & e.__u || (e.__e == u && (u = S(e)), J(e, e));
	return u;
}
function A$1(n, t, r, u) {
	var i, f, o, e;
	if ("function" == typeof n.type) {
		if (n.props.__P) return t;
		if (i = n.__k) for (f = 0; f < i.length; f++) i[f] && (i[f].__ = n, t = A$1(i[f], t, r, !1));
		return t;
	}
	for (t && !t.parentNode && (t = S(n)) && !t.parentNode && (t = null), o = n.__e, e = t; e && 8 == e.nodeType;) e = e.nextSibling;
	for (o != e && (!u && r.moveBefore && o.parentNode ? r.moveBefore(o, t) : r.insertBefore(o, t || null)), t = o; (t = t && t.nextSibling) && 8 == t.nodeType && !t.data.startsWith("$s"););
	return t;
}
function P$1(n, t, r, u) {
	var i, f = n.key, o = n.type, e = t[r], l = e && !(2 & e.__u);
	if (null === e && null == f || l && f == e.key && o == e.type) return r;
	if (u > (l ? 1 : 0)) {
		for (i = r - 1; i >= 0; i--) if ((e = t[i]) && !(2 & e.__u) && f == e.key && o == e.type) return i;
		for (i = r + 1; i < t.length; i++) if ((e = t[i]) && !(2 & e.__u) && f == e.key && o == e.type) return i;
	}
	return -1;
}
function T$2(n, t, r) {
	r ??= "", "-" == t[0] ? n.setProperty(t, r) : n[t] = r;
}
function N$1(n, t, r, u, i) {
	var f, o;
	if ("style" == t) if ("string" == typeof r) n.style.cssText = r;
	else {
		if ("string" == typeof u && (n.style.cssText = u = ""), u) for (t in u) r && t in r || T$2(n.style, t);
		if (r) for (t in r) u && r[t] == u[t] || T$2(n.style, t, r[t]);
	}
	else if ("o" == t[0] && "n" == t[1]) "function" != typeof r && (r = null), "function" != typeof u && (u = null), (n.__e || (n.__e = {}))[t] = r, r && u || (o = a$3[t] || (a$3[t] = V$1(t)), (n.__a || (n.__a = {}))[t] = c$2, f = t != (t = t.replace(l$2, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), r ? n.addEventListener(t, o, f) : n.removeEventListener(t, o, f));
	else {
		if ("http://www.w3.org/2000/svg" == i) t = t.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
		else if ("width" != t && "height" != t && "href" != t && "list" != t && "form" != t && "tabIndex" != t && "download" != t && "rowSpan" != t && "colSpan" != t && "role" != t && "popover" != t && t in n) try {
			n[t] = null == r ? "" : r;
			return;
		} catch (n) {}
		if ("function" == typeof r) return;
		null == r || !1 === r && "-" != t[4] ? n.removeAttribute(t) : n.setAttribute(t, "popover" == t && 1 == r ? "" : r);
	}
}
function V$1(t) {
	return function(r) {
		var u = this.__e;
		if (u) {
			if (u = u[t], null == r[e$1]) r[e$1] = c$2++;
			else if (r[e$1] < this.__a[t]) return;
			return u(n.event ? n.event(r) : r);
		}
	};
}
function z$2(t, r, u, i, f, o, e, l, c, a) {
	var s, p, v, d, k, b, m, M, C, j, L, H, q, A, O, P, T, N, V = r.type;
	if (r.constructor !== h$2) return null;
	128 & u.__u && (c = 32 & u.__u, s = u.__c.__z) && (r.__u |= c, p = o = [], 8 == s.nodeType ? l = B$3(s, o) : o.push(s), l = o[0] || l), (s = n.__b) && s(r);
	n: if ("function" == typeof V) {
		v = e.length;
		try {
			if (M = r.props, C = (s = V.prototype) && s.render, j = (s = V.contextType) && i[s.__c], L = s ? j ? j.props.value : s.__ : i, (d = u.__c) ? (r.__c = d, 2 & d.__g && (d.__g |= 1)) : (C ? r.__c = d = new V(M, L) : (r.__c = d = new x$1(M, L), d.constructor = V, d.render = K), j && j.sub(d), d.state || (d.state = {}), d.__n = i, d.__g |= 8, d.__h = [], d.__k = []), C && (d.__s || (d.__s = d.state), V.getDerivedStateFromProps && (d.__s == d.state && (d.__s = _$2({}, d.__s)), _$2(d.__s, V.getDerivedStateFromProps(M, d.__s)))), k = d.props, b = d.state, d.__v = r, u.__c) {
				if (M !== k && C && !V.getDerivedStateFromProps && d.componentWillReceiveProps && d.componentWillReceiveProps(M, L), r.__v == u.__v && !(8 & d.__g) || !(4 & d.__g) && d.shouldComponentUpdate && !1 === d.shouldComponentUpdate(M, d.__s, L)) {
					r.__v != u.__v && (d.props = M, d.state = d.__s, d.__g &= -9), r.__e = u.__e, r.__k = u.__k, r.__k.some(function(n) {
						n && (n.__ = r);
					}), y$2.push.apply(d.__h, d.__k), d.__k = [], d.__h.length && e.push(d), l = S(u);
					break n;
				}
				d.componentWillUpdate && d.componentWillUpdate(M, d.__s, L), C && d.componentDidUpdate && d.__h.push(function() {
					d.componentDidUpdate(k, b, m);
				});
			} else C && !V.getDerivedStateFromProps && d.componentWillMount && d.componentWillMount(), C && d.componentDidMount && d.__h.push(d.componentDidMount);
			d.context = L, d.props = M, d.__P = t, d.__g &= -5, H = n.__r, q = C ? 25 : 0;
			do
				d.__g &= -9, H && H(r), s = d.render(d.props, d.state = d.__s, d.context);
			while (8 & d.__g && ++q < 25);
			C && (y$2.push.apply(d.__h, d.__k), d.__k = []), d.state = d.__s, d.getChildContext && (i = _$2({}, i, d.getChildContext())), C && u.__c && d.getSnapshotBeforeUpdate && (m = d.getSnapshotBeforeUpdate(k, b)), A = s && s.type === $$1 && null == s.key ? s.props.children : s, M.__P && (s = l, f = (t = M.__P).namespaceURI, c = o = null, u.props && u.props.__P != t && (u.__k.some(function(n) {
				n && J(n, n);
			}), u.__k = null), l = u.__k ? S(u, 0) : null), l = I$1(t, w$2(A) ? A : [A], r, u, i, f, o, e, l, c, a), M.__P && (r.__e = null, l = s), r.__u &= -161, p && p.some(g$2), d.__h.length && e.push(d), 1 & d.__g && (d.__g &= -4);
		} catch (t) {
			if (e.length = v, r.__v = null, c || o) if (t && t.then) {
				if (r.__u |= 128 | c, o) {
					for (~(T = o.indexOf(l || void 0)) || (T = o.length); (N = o[T - 1]) && 8 == N.nodeType;) T--;
					for (; T < o.length; T++) if (N = o[T]) if (o[T] = null, O) {
						if (N == P) break;
					} else {
						if (8 != N.nodeType) break;
						N.data.startsWith("$s") && (P = B$3(O = N));
					}
				}
				if (!O) {
					for (; l && 8 == l.nodeType && l.nextSibling;) l = l.nextSibling;
					O = l;
				}
				(s = B$3(O = r.__c.__z || (r.__c.__z = O))) ? (r.__e = O, l = s) : r.__e = l, l = l && l.nextSibling;
			} else o && o.some(g$2);
			else r.__e = u.__e;
			r.__k || (r.__k = u.__k || []), t && t.then || D$1(r), n.__e(t, r, u);
		}
	} else l = r.__e = F$1(u.__e, r, u, i, f, o, e, c, a, t);
	return (s = n.diffed) && s(r), l;
}
function B$3(n, t) {
	if (n && 8 == n.nodeType && n.data.startsWith("$s")) for (var r = 1; n = n.nextSibling;) {
		if (8 == n.nodeType) {
			if (n.data.startsWith("$s")) r++;
			else if (n.data.startsWith("/$s") && !--r) return n;
		}
		t && t.push(n);
	}
}
function D$1(n) {
	n && (n.__c && (n.__c.__g |= 4), n.__k && n.__k.some(D$1));
}
function E$1(t, r, u) {
	for (var i = 0; i < u.length;) G$1(u[i++], u[i++], u[i++]);
	n.__c && n.__c(r, t), t.some(function(r) {
		try {
			t = r.__h, r.__h = [], t.some(function(n) {
				n.call(r);
			});
		} catch (t) {
			n.__e(t, r.__v);
		}
	});
}
function F$1(t, r, u, i, f, o, e, l, c, a) {
	var s, h, y, _, k, b, m, M, $ = u.props || p$2, x = r.props, C = r.type;
	if ("svg" == C ? f = "http://www.w3.org/2000/svg" : "math" == C ? f = "http://www.w3.org/1998/Math/MathML" : f || (f = "http://www.w3.org/1999/xhtml"), o) {
		for (s = 0; s < o.length; s++) if ((k = o[s]) && (C ? k.localName == C : 3 == k.nodeType)) {
			t = k, o[s] = null;
			break;
		}
	}
	if (!t) {
		if (M = a.ownerDocument || document, !C) return M.createTextNode(x);
		t = M.createElementNS(f, C, x.is ? x : a), l && (n.__m && n.__m(r, o), l = !1), o = null;
	}
	if (C) {
		if (a = "template" == C && t.content || t, o = "textarea" == C && null != x.defaultValue ? null : o && d$2.call(a.childNodes), !l && o) for ($ = {}, s = 0; s < t.attributes.length; s++) $[(k = t.attributes[s]).name] = k.value;
		for (s in $) k = $[s], "dangerouslySetInnerHTML" == s ? y = k : "children" == s || s in x || "value" == s && "defaultValue" in x || "checked" == s && "defaultChecked" in x || N$1(t, s, null, k, f);
		for (s in x) k = x[s], "children" == s ? _ = k : "dangerouslySetInnerHTML" == s ? h = k : "value" == s ? b = k : "checked" == s ? m = k : l && "function" != typeof k || $[s] === k || N$1(t, s, k, $[s], f);
		h ? (l || y && (h.__html == y.__html || h.__html == t.innerHTML) || (t.innerHTML = h.__html), r.__k = []) : (y && (t.textContent = ""), ("foreignObject" == C || "http://www.w3.org/1998/Math/MathML" == f && v$2.test(C)) && (f = "http://www.w3.org/1999/xhtml"), I$1(a, w$2(_) ? _ : [_], r, u, i, f, o, e, o ? o[0] : u.__k && S(u, 0), l, c), o && o.some(g$2)), l && "textarea" != C || (s = "value", "progress" == C && null == b ? t.removeAttribute(s) : null == b || b === t[s] && ("progress" != C || b) || N$1(t, s, b, $[s], f), s = "checked", null != m && m != t[s] && N$1(t, s, m, $[s], f));
	} else $ === x || l && t.data == x || (t.data = x);
	return t;
}
function G$1(t, r, u, i) {
	try {
		"function" == typeof t ? r ? r.__x = t(r) || 1 : i && (i = i.__c || i.__e) && (r = i.__x) && (i.__x = null, "function" == typeof r ? r() : t(null)) : t.current = r;
	} catch (t) {
		n.__e(t, u);
	}
}
function J(t, r, u) {
	var i, f, o, e;
	if (n.unmount && n.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || G$1(i, null, r, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			n.__e(t, r);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (e = 0; e < i.length; e++) i[e] && J(i[e], r, "function" != typeof t.type || u && !t.props.__P);
	!u && (i = t.__c) && (i = i.__z) && (f = B$3(i, o = [])) && (i == t.__e && o.some(g$2), g$2(f), g$2(i)), u || g$2(t.__e), t.__e = t.__c = t.__ = null;
}
function K(n, t, r) {
	return this.constructor(n, r);
}
function U$1(n) {
	function t(n) {
		var r, u;
		return this.getChildContext || (r = /* @__PURE__ */ new Set(), (u = {})[t.__c] = this, this.getChildContext = function() {
			return u;
		}, this.shouldComponentUpdate = function(n) {
			this.props.value != n.value && r.forEach(function(n) {
				n.__g |= 4, L(n);
			});
		}, this.sub = function(n) {
			r.add(n);
			var t = n.componentWillUnmount;
			n.componentWillUnmount = function() {
				r.delete(n), t && t.call(n);
			};
		}), n.children;
	}
	return t.__c = "__cC" + s$2++, t.__ = n, t.Provider = (t.Consumer = function(n, t) {
		return n.children(t);
	}).contextType = t, t;
}
n = { __e: function(n, t, r, u) {
	for (var i, o, e; t = t.__;) if ((i = t.__c) && !(1 & i.__g)) {
		i.__g |= 4;
		try {
			if ((e = (o = i.constructor) && o.getDerivedStateFromError) && i.setState(o.getDerivedStateFromError(n)), i.componentDidCatch && (i.componentDidCatch(n, u || {}), e = 1), e && 8 & i.__g) return void (i.__g |= 2);
		} catch (t) {
			n = t;
		}
	}
	throw f$3 = 0, n;
} }, t$1 = 0, r$1 = function(n) {
	return null != n && n.constructor === h$2;
}, x$1.prototype.setState = function(n, t) {
	var r = this.__s;
	r && r != this.state || (r = this.__s = _$2({}, this.state)), "function" == typeof n && (n = n(_$2({}, r), this.props)), n && (_$2(r, n), this.__v && (t && this.__k.push(t), L(this)));
}, x$1.prototype.forceUpdate = function(n) {
	this.__v && (this.__g |= 4, n && this.__h.push(n), L(this));
}, x$1.prototype.render = $$1, u$3 = [], f$3 = 0, o$3 = function(n, t) {
	return n.__v.__b - t.__v.__b;
}, e$1 = Symbol(), l$2 = /(PointerCapture)$|Capture$/i, c$2 = 0, a$3 = {}, s$2 = 0;
// node_modules/preact-render-to-string/dist/index.mjs
var o$2 = "__s";
var i$1 = "__c";
var a$2 = "__k";
var u$2 = "__d";
var c$1 = "__s";
var f$2 = /[\s\n\\/='"\0<>]/;
var s$1 = /^(xlink|xmlns|xml)([A-Z])/;
var l$1 = /^(?:accessK|auto[A-Z]|cell|ch|col|cont|cross|dateT|encT|form[A-Z]|frame|hrefL|inputM|maxL|minL|noV|playsI|popoverT|readO|rowS|src[A-Z]|tabI|useM|item[A-Z])/;
var p$1 = /^ac|^ali|arabic|basel|cap|clipPath$|clipRule$|color|dominant|enable|fill|flood|font|glyph[^R]|horiz|image|letter|lighting|marker[^WUH]|overline|panose|pointe|paint|rendering|shape|stop|strikethrough|stroke|text[^L]|transform|underline|unicode|units|^v[^i]|^w|^xH/;
var h$1 = /* @__PURE__ */ new Set(["draggable", "spellcheck"]);
function d$1(e) {
	void 0 !== e.__g ? e.__g |= 8 : e[u$2] = !0;
}
function v$1(e) {
	void 0 !== e.__g ? e.__g &= -9 : e[u$2] = !1;
}
function m$1(e) {
	return void 0 !== e.__g ? !!(8 & e.__g) : !0 === e[u$2];
}
var y$1 = /["&<]/;
function _$1(e) {
	if (0 === e.length || !1 === y$1.test(e)) return e;
	for (var t = 0, n = 0, r = "", o = ""; n < e.length; n++) {
		switch (e.charCodeAt(n)) {
			case 34:
				o = "&quot;";
				break;
			case 38:
				o = "&amp;";
				break;
			case 60:
				o = "&lt;";
				break;
			default: continue;
		}
		n !== t && (r += e.slice(t, n)), r += o, t = n + 1;
	}
	return n !== t && (r += e.slice(t, n)), r;
}
var g$1 = {};
var k$1 = /* @__PURE__ */ new Set([
	"animation-iteration-count",
	"border-image-outset",
	"border-image-slice",
	"border-image-width",
	"box-flex",
	"box-flex-group",
	"box-ordinal-group",
	"column-count",
	"fill-opacity",
	"flex",
	"flex-grow",
	"flex-negative",
	"flex-order",
	"flex-positive",
	"flex-shrink",
	"flood-opacity",
	"font-weight",
	"grid-column",
	"grid-row",
	"line-clamp",
	"line-height",
	"opacity",
	"order",
	"orphans",
	"stop-opacity",
	"stroke-dasharray",
	"stroke-dashoffset",
	"stroke-miterlimit",
	"stroke-opacity",
	"stroke-width",
	"tab-size",
	"widows",
	"z-index",
	"zoom"
]);
var b = /[A-Z]/g;
function x(e) {
	var t = "";
	for (var n in e) {
		var r = e[n];
		if (null != r && "" !== r) {
			var o = "-" == n[0] ? n : g$1[n] || (g$1[n] = n.replace(b, "-$&").toLowerCase()), i = ";";
			"number" != typeof r || o.startsWith("--") || k$1.has(o) || (i = "px;"), t = t + o + ":" + r + i;
		}
	}
	return t || void 0;
}
function w$1() {
	this.__d = !0;
}
function H(e, t) {
	return {
		__v: e,
		context: t,
		props: e.props,
		setState: w$1,
		forceUpdate: w$1,
		__d: !0,
		__h: new Array(0)
	};
}
var T$1 = {};
var j$1 = [];
var P = Array.isArray;
var $ = Object.assign;
var U = "";
var Z = "<!--$s-->";
var F = "<!--/$s-->";
function M(e) {
	return "string" == typeof e ? Z + e + F : P(e) ? (e.unshift(Z), e.push(F), e) : e && "function" == typeof e.then ? e.then(M) : Z + e + F;
}
function W() {
	return {
		beforeDiff: n.__b,
		afterDiff: n.diffed,
		renderHook: n.__r,
		unmountHook: n.unmount,
		rootHook: n.__,
		commitHook: n.__c,
		catchError: n.__e,
		errorBoundaries: n.errorBoundaries
	};
}
function B$2(e) {
	var t = n[o$2];
	n[o$2] = !0;
	try {
		return e();
	} finally {
		n[o$2] = t;
	}
}
function z$1(n, r, o) {
	var i = W();
	try {
		var u = B$2(function() {
			var u, c = k$2($$1, null);
			return c[a$2] = [n], i.rootHook && i.rootHook(n, ((u = {})[a$2] = c, u.nodeType = 1, u)), q(n, r || T$1, !1, void 0, c, !1, o, i);
		});
		return P(u) ? u.join(U) : u;
	} catch (e) {
		if (e.then) throw new Error("Use \"renderToStringAsync\" for suspenseful rendering.");
		throw e;
	} finally {
		i.commitHook && B$2(function() {
			return i.commitHook(n, j$1);
		}), j$1.length = 0;
	}
}
function N(e, t, n) {
	var r, o = e.type, a = !0;
	return e[i$1] ? (a = !1, (r = e[i$1]).state = r[c$1]) : r = new o(e.props, t), e[i$1] = r, r.__v = e, r.props = e.props, r.context = t, d$1(r), r.state ?? (r.state = T$1), r[c$1] ?? (r[c$1] = r.state), o.getDerivedStateFromProps ? r.state = $({}, r.state, o.getDerivedStateFromProps(r.props, r.state)) : a && r.componentWillMount ? (r.componentWillMount(), r.state = r[c$1] !== r.state ? r[c$1] : r.state) : !a && r.componentWillUpdate && r.componentWillUpdate(), n.renderHook && n.renderHook(e), r.render(r.props, r.state, t);
}
function q(e, n, o, u, y, g, k, b) {
	if (null == e || !0 === e || !1 === e || e === U) return U;
	var w = typeof e;
	if ("object" != w) return "function" == w ? U : "string" == w ? _$1(e) : e + U;
	if (P(e)) {
		var C, D = U;
		y[a$2] = e;
		for (var A = e.length, S = 0; S < A; S++) {
			var E = e[S];
			if (null != E && "boolean" != typeof E) {
				var L, j = q(E, n, o, u, y, g, k, b);
				"string" == typeof j ? D += j : (C || (C = new Array(A)), D && C.push(D), D = U, P(j) ? (L = C).push.apply(L, j) : C.push(j));
			}
		}
		return C ? (D && C.push(D), C) : D;
	}
	if (!r$1(e)) return U;
	e.__ = y, b.beforeDiff && b.beforeDiff(e);
	var Z = e.type, F = e.props;
	if ("function" == typeof Z) {
		var W, z, O, R = n;
		if (Z === $$1) {
			if ("tpl" in F) {
				for (var K, G = U, J = 0; J < F.tpl.length; J++) if (G += F.tpl[J], F.exprs && J < F.exprs.length) {
					var Q = F.exprs[J];
					if (null == Q) continue;
					if ("object" == typeof Q && (r$1(Q) || P(Q))) {
						var X, Y = q(Q, n, o, u, e, g, k, b);
						"string" == typeof Y ? G += Y : (K || (K = []), G && K.push(G), G = U, P(Y) ? (X = K).push.apply(X, Y) : K.push(Y));
					} else G += Q;
				}
				return K ? (G && K.push(G), K) : G;
			}
			if ("UNSTABLE_comment" in F) return "<!--" + _$1(F.UNSTABLE_comment) + "-->";
			z = F.children;
		} else {
			if (null != (W = Z.contextType)) {
				var ee = n[W.__c];
				R = ee ? ee.props.value : W.__;
			}
			var te = Z.prototype && "function" == typeof Z.prototype.render;
			if (te) z = N(e, R, b), O = e[i$1];
			else {
				e[i$1] = O = H(e, R);
				for (var ne = 0; m$1(O) && ne++ < 25;) {
					v$1(O), b.renderHook && b.renderHook(e);
					try {
						z = Z.call(O, F, R);
					} catch (t) {
						throw g && t && "function" == typeof t.then && (e._suspended = !0), t;
					}
				}
				d$1(O);
			}
			if (null != O.getChildContext && (n = $({}, n, O.getChildContext())), te && b.errorBoundaries && (Z.getDerivedStateFromError || O.componentDidCatch)) {
				z = null != z && z.type === $$1 && null == z.key && null == z.props.tpl ? z.props.children : z;
				try {
					return q(z, n, o, u, e, g, !1, b);
				} catch (r) {
					return Z.getDerivedStateFromError && (O[c$1] = Z.getDerivedStateFromError(r)), O.componentDidCatch && O.componentDidCatch(r, T$1), m$1(O) ? (z = N(e, n, b), null != (O = e[i$1]).getChildContext && (n = $({}, n, O.getChildContext())), q(z = null != z && z.type === $$1 && null == z.key && null == z.props.tpl ? z.props.children : z, n, o, u, e, g, k, b)) : U;
				} finally {
					b.afterDiff && b.afterDiff(e), b.unmountHook && b.unmountHook(e);
				}
			}
		}
		z = null != z && z.type === $$1 && null == z.key && null == z.props.tpl ? z.props.children : z;
		try {
			var re = q(z, n, o, u, e, g, k, b);
			return b.afterDiff && b.afterDiff(e), b.unmountHook && b.unmountHook(e), e._suspended ? M(re) : re;
		} catch (t) {
			if (!g && k && k.onError) {
				var oe = function t(r) {
					return k.onError(r, e, function(e, r) {
						try {
							return B$2(function() {
								return q(e, n, o, u, r, g, k, b);
							});
						} catch (e) {
							return t(e);
						}
					});
				}(t);
				return void 0 !== oe ? oe : (b.catchError && b.catchError(t, e), U);
			}
			if (!g) throw t;
			if (!t || "function" != typeof t.then) throw t;
			return t.then(function t() {
				try {
					var r = B$2(function() {
						return q(z, n, o, u, e, g, k, b);
					});
					return e._suspended ? M(r) : r;
				} catch (e) {
					if (!e || "function" != typeof e.then) throw e;
					return e.then(t);
				}
			});
		}
	}
	var ie, ae = "<" + Z, ue = U;
	for (var ce in F) {
		var fe = F[ce];
		if ("function" != typeof (fe = V(fe) ? fe.value : fe) || "class" === ce || "className" === ce) {
			switch (ce) {
				case "children":
					ie = fe;
					continue;
				case "key":
				case "ref":
				case "__self":
				case "__source": continue;
				case "htmlFor":
					if ("for" in F) continue;
					ce = "for";
					break;
				case "className":
					if ("class" in F) continue;
					ce = "class";
					break;
				case "defaultChecked":
					ce = "checked";
					break;
				case "defaultSelected":
					ce = "selected";
					break;
				case "defaultValue":
				case "value":
					switch (ce = "value", Z) {
						case "textarea":
							ie = fe;
							continue;
						case "select":
							u = fe;
							continue;
						case "option": u != fe || "selected" in F || (ae += " selected");
					}
					break;
				case "dangerouslySetInnerHTML":
					ue = fe && fe.__html;
					continue;
				case "style":
					"object" == typeof fe && (fe = x(fe));
					break;
				case "acceptCharset":
					ce = "accept-charset";
					break;
				case "httpEquiv":
					ce = "http-equiv";
					break;
				default:
					if (f$2.test(ce)) continue;
					s$1.test(ce) ? ce = ce.replace(s$1, "$1:$2").toLowerCase() : "-" !== ce[4] && !h$1.has(ce) || null == fe ? o ? p$1.test(ce) && (ce = "panose1" === ce ? "panose-1" : ce.replace(/([A-Z])/g, "-$1").toLowerCase()) : l$1.test(ce) && (ce = ce.toLowerCase()) : fe += U;
			}
			null != fe && !1 !== fe && (ae = !0 === fe || fe === U ? ae + " " + ce : ae + " " + ce + "=\"" + _$1(fe + U) + "\"");
		}
	}
	if (f$2.test(Z)) throw new Error(Z + " is not a valid HTML tag name in " + ae + ">");
	if (ue || ("string" == typeof ie ? ue = _$1(ie) : null != ie && !1 !== ie && !0 !== ie && (ue = q(ie, n, "svg" === Z || "foreignObject" !== Z && o, u, e, g, k, b))), b.afterDiff && b.afterDiff(e), b.unmountHook && b.unmountHook(e), !ue && I.has(Z)) return ae + "/>";
	var se = "</" + Z + ">", le = ae + ">";
	return P(ue) ? [le].concat(ue, [se]) : "string" != typeof ue ? [
		le,
		ue,
		se
	] : le + ue + se;
}
var I = /* @__PURE__ */ new Set([
	"area",
	"base",
	"br",
	"col",
	"command",
	"embed",
	"hr",
	"img",
	"input",
	"keygen",
	"link",
	"meta",
	"param",
	"source",
	"track",
	"wbr"
]);
function V(e) {
	return null !== e && "object" == typeof e && "function" == typeof e.peek && "value" in e;
}
// attestor/view/printable.ts
/** A report's text may hold anything; neither a terminal nor a page may obey it. */
/**
* What is no letter, digit or sign becomes U+FFFD: control characters, marks that turn the direction of writing around,
* what is not assigned. @param isFolded white space, line breaks too, becomes one space
*/
function printable(text, isFolded = true) {
	return (isFolded ? text.replace(/\s+/g, " ") : text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "�");
}
/** A value with all its texts printable. @param value JSON, of no great depth */
function printableAll(value) {
	if (typeof value === "string") return printable(value);
	if (Array.isArray(value)) return value.map((item) => printableAll(item));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printableAll(item)]));
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var f$1 = Symbol.for("pv");
var o$1 = 0;
Array.isArray;
function a$1(t, e, n$1, u, a, i) {
	e || (e = {});
	var c, l, p = e;
	if ("ref" in p && "function" != typeof t) for (l in p = {}, e) "ref" == l ? c = e[l] : p[l] = e[l];
	var s = {
		type: t,
		props: p,
		key: n$1,
		ref: c,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: f$1,
		__v: --o$1,
		__i: -1,
		__u: 0
	};
	return (a || i) && (s.__source = a, s.__self = i), n.vnode && n.vnode(s), s;
}
// web/pages/Docs.tsx
function docsContent({ viewer, documents }) {
	return {
		title: "API reference",
		inEnglish: true,
		source: "/openapi.json",
		viewer,
		islands: ["docs.ts"],
		main: /* @__PURE__ */ a$1($$1, { children: [
			/* @__PURE__ */ a$1("h1", {
				id: "title",
				children: "API reference"
			}),
			/* @__PURE__ */ a$1("p", {
				class: "lead soft",
				children: [
					"Drawn from ",
					/* @__PURE__ */ a$1("a", {
						href: "/openapi.json",
						children: "/openapi.json"
					}),
					" (OpenAPI 3.1). Programs that read text start with ",
					/* @__PURE__ */ a$1("a", {
						href: "/llms.txt",
						children: "/llms.txt"
					}),
					"."
				]
			}),
			/* @__PURE__ */ a$1("details", {
				class: "part folded",
				children: [/* @__PURE__ */ a$1("summary", { children: [/* @__PURE__ */ a$1("h2", { children: "Guides" }), /* @__PURE__ */ a$1("span", {
					class: "soft",
					children: "Documents of this service, as text."
				})] }), /* @__PURE__ */ a$1("ul", {
					class: "links",
					children: documents.map(({ name, about }) => /* @__PURE__ */ a$1("li", { children: [
						/* @__PURE__ */ a$1("a", {
							href: `/docs/${name}`,
							children: name
						}),
						" ",
						about
					] }))
				})]
			}),
			viewer === null ? /* @__PURE__ */ a$1("p", { children: "The viewer is not installed: read the document itself." }) : null,
			/* @__PURE__ */ a$1("noscript", { children: /* @__PURE__ */ a$1("p", { children: "The viewer needs JavaScript. The document itself says the same." }) })
		] })
	};
}
// node_modules/preact/hooks/dist/hooks.mjs
var t;
var r;
var u;
var i;
var o = Object.is;
var f = 0;
var c = [];
var e = [];
var a = n;
var v = a.__b;
var l = a.__r;
var m = a.diffed;
var h = a.__c;
var s = a.unmount;
var p = a.__;
function y(n, t) {
	a.__h && a.__h(r, n, f || t), f = 0;
	var u = r.__H || (r.__H = {
		__: [],
		__h: []
	});
	return n >= u.__.length && u.__.push({}), u.__[n];
}
function d(n) {
	return f = 1, _(G, n);
}
function _(n, u, i) {
	var f = y(t++, 2);
	if (f.t = n, !f.__c && (f.__ = [i ? i(u) : G(void 0, u), function(n) {
		var t = (f.__N || f.__)[0], r = f.t(t, n);
		o(t, r) || (f.__N = [r, f.__[1]], f.__c.setState({}));
	}], f.__c = r, !r.__f)) {
		r.__f = !0;
		var c = r.shouldComponentUpdate;
		r.shouldComponentUpdate = function(n, t, r) {
			var u = this.__H;
			if (!u) return !0;
			var i = !1, f = this.props != n;
			if (u.__.some(function(n) {
				n.__N && (i = !0, o(n.__[0], n.__N[0]) || (f = !0));
			}), c) {
				var e = c.call(this, n, t, r);
				return i ? e || f : e;
			}
			return !i || f;
		};
	}
	return f.__;
}
function A(n, u) {
	var i = y(t++, 3);
	!a.__s && E(i.__H, u) && (i.__P = !0, i.__ = n, i.u = u, r.__H.__h.push(i));
}
function T(n) {
	return f = 5, w(function() {
		return { current: n };
	}, []);
}
function w(n, r) {
	var u = y(t++, 7);
	return E(u.__H, r) && (u.__ = n(), u.__H = r), u.__;
}
function j(n) {
	var u = r.context[n.__c], i = y(t++, 9);
	return i.c = n, u ? (i.__ ?? (i.__ = !0, u.sub(r)), u.props.value) : n.__;
}
function g() {
	var n;
	do {
		for (; n = e.shift();) try {
			C(n);
		} catch (t) {
			a.__e(t, { __: (n = n.__P) && n.__v });
		}
		for (; n = c.shift();) {
			var t = n.__H;
			if (n.__P && t) try {
				t.__h.some(C), t.__h.some(D), t.__h = [];
			} catch (r) {
				t.__h = [], a.__e(r, n.__v);
			}
		}
	} while (e.length);
}
a.__b = function(n) {
	r = null, v && v(n);
}, a.__ = function(n, t) {
	n && t.__k && t.__k.__m && (n.__m = t.__k.__m), p && p(n, t);
}, a.__r = function(n) {
	l && l(n), t = 0;
	var i = (r = n.__c).__H;
	i && (u == r ? r.__h = [] : (i.__h.some(C), i.__h.some(D), t = 0), i.__h = [], i.__.some(function(n) {
		n.__N && (n.__ = n.__N), n.u = n.__N = void 0;
	})), u = r;
}, a.diffed = function(n) {
	m && m(n);
	var t = n.__c;
	t && t.__H && (t.__H.__h.length && B$1(c.push(t)), t.__H.__.some(function(n) {
		n.u && (n.__H = n.u);
	})), u = r = null;
}, a.__c = function(n, t) {
	t.some(function(n) {
		try {
			n.__h.some(C), n.__h = n.__h.filter(function(n) {
				return !n.__ || D(n);
			});
		} catch (t) {
			n.__h = [function() {
				throw t;
			}];
		}
	}), h && h(n, t);
}, a.unmount = function(n) {
	s && s(n);
	var t, r, u = n.__c;
	u && u.__H && (u.__H.__.some(function(u) {
		try {
			if (u.__P && u.__c) {
				if (void 0 === r) {
					for (r = n.__; r && (!r.__c || !r.__c.__P);) r = r.__;
					r = r && r.__c;
				}
				u.__P = r, B$1(e.push(u));
			} else C(u);
		} catch (n) {
			t = n;
		}
	}), u.__H = void 0, t && a.__e(t, u.__v));
};
var k = "function" == typeof requestAnimationFrame;
function z(n) {
	var t, r = function() {
		clearTimeout(u), k && cancelAnimationFrame(t), setTimeout(n);
	}, u = setTimeout(r, 35);
	k && (t = requestAnimationFrame(r));
}
function B$1(n) {
	1 != n && i == a.requestAnimationFrame || ((i = a.requestAnimationFrame) || z)(g);
}
function C(n) {
	var t = r, u = n.__c;
	"function" == typeof u && (n.__c = void 0, u()), r = t;
}
function D(n) {
	var t = r;
	n.__c = n.__(), r = t;
}
function E(n, t) {
	return !n || n.length != t.length || t.some(function(t, r) {
		return !o(t, n[r]);
	});
}
function G(n, t) {
	return "function" == typeof t ? t(n) : t;
}
// attestor/view/language.ts
/** The languages of the pages, and how their sentences are filled. */
var LANGUAGES = ["en", "zh"];
/**
* A sentence with its gaps filled, such as `{count} {count:sample|samples}`: the second form takes the first word
* where the value is one, else the second. Words are in JSON files, all languages of a place in one.
* @throws Error for a gap without a value
*/
function filled(sentence, gaps) {
	return sentence.replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (_, name, one, other) => {
		const value = gaps[name];
		if (value === void 0) throw new Error(`Nothing is given for {${name}} of: ${sentence}`);
		if (one === void 0 || other === void 0) return String(value);
		return String(value) === "1" ? one : other;
	});
}
// attestor/view/amounts.ts
/** Decimals as people read them. Nothing is rounded but where a function says so. */
var DECIMAL$1 = /^(-?)([0-9]+)(\.[0-9]+)?$/;
/** `1234567.5` as `1,234,567.5`; what is no decimal stays as it is. */
function grouped(text) {
	const [, sign, whole, fraction = ""] = DECIMAL$1.exec(text) ?? [];
	if (sign === void 0 || whole === void 0) return text;
	return `${sign}${whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ",")}${fraction}`;
}
/**
* Cut to so many significant digits, towards zero, and never within the whole part: an amount that one gets at least
* must not grow by how it is shown.
*/
function cut(text, digits) {
	const [, sign, whole, fraction = ""] = DECIMAL$1.exec(text) ?? [];
	if (sign === void 0 || whole === void 0 || fraction === "") return text;
	const places = fraction.slice(1);
	const zeros = whole === "0" ? /^0*/.exec(places)?.[0].length ?? 0 : -whole.length;
	const kept = places.slice(0, Math.max(0, digits + zeros)).replace(/0+$/, "");
	return `${sign}${whole}${kept === "" ? "" : `.${kept}`}`;
}
/** A decimal with a true minus sign. */
var minus = (text) => text.replace(/^-/, "−");
/** Basis points as a percentage with a sign and two places: `−4.36`; without a sign where they round to zero. */
function signedPercent(bps) {
	const shown = (Math.abs(bps) / 100).toFixed(2);
	return Number(shown) === 0 ? "0.00" : `${bps < 0 ? "−" : "+"}${grouped(shown)}`;
}
/** Basis points with a sign and one place: `+1,234.5`; without a sign where they round to zero. */
function signedBps(value) {
	const shown = Math.abs(value).toFixed(1);
	return Number(shown) === 0 ? "0.0" : `${value < 0 ? "−" : "+"}${grouped(shown)}`;
}
// attestor/view/times.ts
/** Moments and durations as people write them: `14 Nov 2025, 16:00 EST`, 中文 `2025年11月14日 16:00 EST`; `2 h 5 min`. */
var HOUR_MS = 36e5;
var formats = /* @__PURE__ */ new Map();
/** Parts of a moment by name. @param ms unix milliseconds @throws RangeError for what is no time */
function partsOf(ms, { language, zone }) {
	const key = `${language} ${zone ?? ""}`;
	const format = formats.get(key) ?? new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", {
		...zone === void 0 ? {} : { timeZone: zone },
		year: "numeric",
		month: language === "zh" ? "numeric" : "short",
		day: "numeric",
		hour: "2-digit",
		minute: "2-digit",
		hourCycle: "h23",
		timeZoneName: "short"
	});
	formats.set(key, format);
	return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
}
/** `14 Nov`, 中文 `11月14日`. @param ms unix milliseconds */
function dayText(ms, zoned) {
	const { month, day } = partsOf(ms, zoned);
	return zoned.language === "zh" ? `${month}月${day}日` : `${day} ${month}`;
}
/** `16:00`. @param ms unix milliseconds */
function clockText(ms, zoned) {
	const { hour, minute } = partsOf(ms, zoned);
	return `${hour}:${minute}`;
}
/** `14 Nov, 16:00`, 中文 `11月14日 16:00`. @param ms unix milliseconds */
var hourText = (ms, zoned) => `${dayText(ms, zoned)}${zoned.language === "zh" ? " " : ", "}${clockText(ms, zoned)}`;
/** The hour from a moment on: `14 Nov, 16:00 to 17:00`. @param ms unix milliseconds */
var hourSpanText = (ms, zoned) => `${hourText(ms, zoned)} ${zoned.language === "zh" ? "至" : "to"} ${clockText(ms + HOUR_MS, zoned)}`;
/** `EST`, `UTC`, `GMT+8`. @param ms unix milliseconds */
var zoneText = (ms, zoned) => partsOf(ms, zoned).timeZoneName ?? "UTC";
/** `14 Nov 2025, 16:00 EST`. @param ms unix milliseconds */
function momentText(ms, zoned) {
	const { year } = partsOf(ms, zoned);
	const day = dayText(ms, zoned);
	return `${zoned.language === "zh" ? `${year}年${day} ` : `${day} ${year}, `}${clockText(ms, zoned)} ${zoneText(ms, zoned)}`;
}
/** `10:30 New York`. @param ms unix milliseconds */
var newYorkText = (ms, language) => `${clockText(ms, {
	language,
	zone: "America/New_York"
})} ${language === "zh" ? "纽约" : "New York"}`;
var UNITS = [
	{
		seconds: 86400n,
		en: "d",
		zh: "天"
	},
	{
		seconds: 3600n,
		en: "h",
		zh: "小时"
	},
	{
		seconds: 60n,
		en: "min",
		zh: "分钟"
	},
	{
		seconds: 1n,
		en: "s",
		zh: "秒"
	}
];
var counted = (n, unit, language) => `${grouped(String(n))} ${unit[language]}`;
/** `2 h 5 min`: every unit that is not zero, so that nothing is lost. */
function durationText(seconds) {
	let rest = seconds < 0n ? -seconds : seconds;
	const parts = UNITS.flatMap((unit) => {
		const n = rest / unit.seconds;
		rest %= unit.seconds;
		return n === 0n ? [] : [counted(n, unit, "en")];
	});
	const text = parts.length === 0 ? counted(0n, UNITS[3], "en") : parts.join(" ");
	return seconds < 0n ? `−${text}` : text;
}
/** Rounded down to the largest unit of which there are two: `45 s`, `12 min`, `15 h`, `3 d`. @param seconds without sign */
function agoText$1(seconds, language) {
	const whole = BigInt(Math.floor(Math.abs(seconds)));
	const unit = UNITS.find(({ seconds: size }) => whole >= size * 2n) ?? UNITS[3];
	return counted(whole / unit.seconds, unit, language);
}
// web/props.ts
/** A path of ours in the reader's language. @param path may have a query and a fragment */
function pathFor({ language, explicit }, path) {
	if (!explicit) return path;
	const url = new URL(path, "http://pages.invalid");
	url.searchParams.set("lang", language);
	return `${url.pathname}${url.search}${url.hash}`;
}
var MARKET_SESSIONS = [
	"pre-market",
	"regular",
	"post-market",
	"overnight",
	"closed"
];
// web/parts.tsx
/** Pieces that several pages are made of. Texts go in as text: no piece takes HTML. */
/** Pages and parts in English alone need not say so. */
var ReaderContext = U$1({
	language: "en",
	explicit: false
});
var useLanguage = () => j(ReaderContext).language;
/** A link to a page of ours. */
function PageLink({ to, children }) {
	return /* @__PURE__ */ a$1("a", {
		href: pathFor(j(ReaderContext), to),
		children
	});
}
var isoOf = (seconds) => (/* @__PURE__ */ new Date(seconds * 1e3)).toISOString();
/** A moment in UTC and New York; `islands/times.ts` puts the reader's zone in the place of UTC. @param seconds unix */
function Moment({ seconds }) {
	const language = useLanguage();
	const ms = seconds * 1e3;
	if (!Number.isFinite(new Date(ms).getTime())) return /* @__PURE__ */ a$1("span", { children: "?" });
	return /* @__PURE__ */ a$1("span", {
		class: "moment",
		children: [
			/* @__PURE__ */ a$1("time", {
				dateTime: isoOf(seconds),
				"data-time": "moment",
				children: momentText(ms, {
					language,
					zone: "UTC"
				})
			}),
			" ",
			/* @__PURE__ */ a$1("span", { children: ["· ", newYorkText(ms, language)] })
		]
	});
}
/** `15:30 UTC`, which script turns into the reader's. @param seconds unix */
function Clock({ seconds }) {
	return /* @__PURE__ */ a$1("time", {
		dateTime: isoOf(seconds),
		"data-time": "clock",
		children: `${isoOf(seconds).slice(11, 16)} UTC`
	});
}
/** `22 Nov, 10:00` in UTC, which script turns into the reader's. @param seconds unix */
function HourTime({ seconds }) {
	return /* @__PURE__ */ a$1("time", {
		dateTime: `${isoOf(seconds).slice(0, 16)}Z`,
		"data-time": "hour",
		children: hourText(seconds * 1e3, {
			language: useLanguage(),
			zone: "UTC"
		})
	});
}
/** Rows of a name and what it is. */
function Rows({ of, kind = "rows" }) {
	return /* @__PURE__ */ a$1("dl", {
		class: kind,
		children: of.map(([name, value]) => /* @__PURE__ */ a$1("div", { children: [/* @__PURE__ */ a$1("dt", { children: name }), /* @__PURE__ */ a$1("dd", { children: value })] }))
	});
}
function Section({ title, id, hint, children }) {
	return /* @__PURE__ */ a$1("section", {
		class: "part",
		id,
		children: [
			/* @__PURE__ */ a$1("h2", { children: title }),
			hint === void 0 ? null : /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: hint
			}),
			children
		]
	});
}
/** A section that is closed until the reader opens it. */
function Folded({ title, id, hint, isOpen = false, children }) {
	return /* @__PURE__ */ a$1("details", {
		class: "part folded",
		id,
		open: isOpen,
		children: [/* @__PURE__ */ a$1("summary", { children: [/* @__PURE__ */ a$1("h2", { children: title }), hint === void 0 ? null : /* @__PURE__ */ a$1("span", {
			class: "soft",
			children: hint
		})] }), children]
	});
}
/** A table that scrolls sideways where it has no room, by the keyboard too. */
function Table({ name, kind, heads, rows, figures = [] }) {
	const classes = heads.map((_, column) => figures.includes(column) ? "number" : void 0);
	return /* @__PURE__ */ a$1("section", {
		class: `scroll ${kind}`,
		tabIndex: 0,
		"aria-label": name,
		children: /* @__PURE__ */ a$1("table", { children: [/* @__PURE__ */ a$1("thead", { children: /* @__PURE__ */ a$1("tr", { children: heads.map((head, column) => /* @__PURE__ */ a$1("th", {
			scope: "col",
			class: classes[column],
			children: head
		})) }) }), /* @__PURE__ */ a$1("tbody", { children: rows.map(([first, ...rest]) => /* @__PURE__ */ a$1("tr", { children: [/* @__PURE__ */ a$1("th", {
			scope: "row",
			children: first
		}), rest.map((cell, index) => /* @__PURE__ */ a$1("td", {
			class: classes[index + 1],
			children: cell
		}))] })) })] })
	});
}
/** What something is called, and its hash or address. */
var named$1 = (name, code) => /* @__PURE__ */ a$1($$1, { children: [
	name,
	" ",
	/* @__PURE__ */ a$1("code", { children: code })
] });
/** A hash or an address, and what is to be said of it. */
var codeAnd = (code, more) => /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1("code", { children: code }), more] });
var LONG_HEX = /0x[0-9a-fA-F]{24,}/g;
/** A text with its hashes and addresses cut; the whole of it is its title. */
function Short({ text }) {
	const cut = text.replace(LONG_HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-6)}`);
	return /* @__PURE__ */ a$1("span", {
		title: cut === text ? void 0 : text,
		children: cut
	});
}
var frame_default = {
	en: {
		"tagline": "Data and trade verification for tokenized US stocks",
		"skip": "Skip to the content",
		"home": "Market",
		"verify": "Verify",
		"status": "Status",
		"docs": "API",
		"pages": "Pages",
		"alpha": "Alpha. Indicative only, not advice.",
		"simulated": "Local world: the market is simulated. No figure here is of a real market.",
		"language": "Language",
		"notFound": "Nothing is here",
		"noPage": "No page has this address. It may be mistyped, or what it led to is gone.",
		"failed": "This page cannot be shown",
		"back": "Back to the market",
		"dataBehind": "The data behind this page"
	},
	zh: {
		"tagline": "代币化美股的数据与交易验证",
		"skip": "跳到正文",
		"home": "市场",
		"verify": "验证",
		"status": "状态",
		"docs": "接口",
		"pages": "页面",
		"alpha": "内测版。数据仅供参考，不构成建议。",
		"simulated": "本地环境：市场为模拟，所有数字均非真实行情。",
		"language": "语言",
		"notFound": "这里没有内容",
		"noPage": "此地址没有页面：可能输入有误，或原有内容已不存在。",
		"failed": "无法显示此页面",
		"back": "返回市场",
		"dataBehind": "本页数据来源"
	}
};
// web/pages/Document.tsx
var LANGUAGE_NAMES = {
	en: "English",
	zh: "中文"
};
var MARK = "M3 20 12 3l9 17M7.6 13.5h8.8";
var ICON = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='${MARK}' fill='none' stroke='%230f766e' stroke-width='2.8' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E`;
function Document({ content, frame }) {
	const { language } = frame;
	return /* @__PURE__ */ a$1("html", {
		lang: language === "zh" ? "zh-CN" : "en",
		children: [/* @__PURE__ */ a$1(Head$1, {
			content,
			frame
		}), /* @__PURE__ */ a$1("body", { children: /* @__PURE__ */ a$1(ReaderContext.Provider, {
			value: frame,
			children: [
				/* @__PURE__ */ a$1("a", {
					class: "skip",
					href: "#main",
					children: frame_default[language].skip
				}),
				/* @__PURE__ */ a$1(Header, { frame }),
				/* @__PURE__ */ a$1(Main, {
					content,
					frame
				}),
				content.viewer ? /* @__PURE__ */ a$1("div", {
					class: "page",
					id: "viewer",
					lang: "en"
				}) : null,
				/* @__PURE__ */ a$1(Footer, {
					source: content.source,
					frame
				})
			]
		}) })]
	});
}
function Main({ content, frame }) {
	const { main, inEnglish = false, viewer } = content;
	const shown = inEnglish ? /* @__PURE__ */ a$1(ReaderContext.Provider, {
		value: {
			language: "en",
			explicit: frame.explicit
		},
		children: main
	}) : main;
	const lang = inEnglish ? "en" : void 0;
	if (viewer) return /* @__PURE__ */ a$1("section", {
		class: "page",
		id: "main",
		tabIndex: -1,
		lang,
		"aria-labelledby": "title",
		children: shown
	});
	return /* @__PURE__ */ a$1("main", {
		class: "page",
		id: "main",
		tabIndex: -1,
		lang,
		children: shown
	});
}
function Head$1({ content, frame }) {
	const { language, origin, path, style } = frame;
	const { title, description = frame_default[language].tagline, viewer } = content;
	return /* @__PURE__ */ a$1("head", { children: [
		/* @__PURE__ */ a$1("meta", { charset: "utf-8" }),
		/* @__PURE__ */ a$1("meta", {
			name: "viewport",
			content: "width=device-width, initial-scale=1"
		}),
		/* @__PURE__ */ a$1("title", { children: `${title} · Assay` }),
		/* @__PURE__ */ a$1("meta", {
			name: "description",
			content: description
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:site_name",
			content: "Assay"
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:type",
			content: "website"
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:title",
			content: title
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:description",
			content: description
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:url",
			content: `${origin}${path.split("?")[0]}`
		}),
		/* @__PURE__ */ a$1("meta", {
			property: "og:locale",
			content: language === "zh" ? "zh_CN" : "en_US"
		}),
		/* @__PURE__ */ a$1("link", {
			rel: "icon",
			href: ICON
		}),
		/* @__PURE__ */ a$1("style", { dangerouslySetInnerHTML: { __html: style } }),
		viewer ? /* @__PURE__ */ a$1("link", {
			rel: "stylesheet",
			href: viewer.style
		}) : null,
		viewer ? /* @__PURE__ */ a$1("script", {
			defer: true,
			src: viewer.script
		}) : null,
		/* @__PURE__ */ a$1(Scripts, {
			content,
			frame
		})
	] });
}
/** Islands first ask for the modules that they share. */
function Scripts({ content: { islands = [] }, frame }) {
	const entries = ["times.ts", ...islands].flatMap((name) => frame.entry(`islands/${name}`) ?? []);
	return /* @__PURE__ */ a$1($$1, { children: [[...new Set(entries.flatMap((entry) => entry.preloads))].map((href) => /* @__PURE__ */ a$1("link", {
		rel: "modulepreload",
		href
	})), entries.map(({ script }) => /* @__PURE__ */ a$1("script", {
		type: "module",
		src: script
	}))] });
}
function Header({ frame: { path, simulated, language } }) {
	const words = frame_default[language];
	const here = path.split(/[?#]/)[0];
	const pages = [
		["/", words.home],
		["/verify", words.verify],
		["/status", words.status],
		["/docs", words.docs]
	];
	return /* @__PURE__ */ a$1("header", {
		class: "top",
		children: [/* @__PURE__ */ a$1("div", {
			class: "bar",
			children: [/* @__PURE__ */ a$1(Brand, {}), /* @__PURE__ */ a$1("nav", {
				"aria-label": words.pages,
				children: pages.map(([to, name]) => /* @__PURE__ */ a$1(NavLink, {
					to,
					name,
					isHere: to === here
				}))
			})]
		}), simulated ? /* @__PURE__ */ a$1("p", {
			class: "notice",
			children: words.simulated
		}) : null]
	});
}
function NavLink({ to, name, isHere }) {
	return /* @__PURE__ */ a$1("a", {
		href: pathFor(j(ReaderContext), to),
		"aria-current": isHere ? "page" : void 0,
		children: name
	});
}
/** Two marks of one weight: what is stated, and what is seen. */
function Brand() {
	return /* @__PURE__ */ a$1("a", {
		class: "brand",
		href: pathFor(j(ReaderContext), "/"),
		children: [/* @__PURE__ */ a$1("svg", {
			class: "logo",
			viewBox: "0 0 24 24",
			width: "24",
			height: "24",
			"aria-hidden": "true",
			children: /* @__PURE__ */ a$1("path", {
				d: MARK,
				fill: "none",
				stroke: "currentColor",
				"stroke-width": "2.4",
				"stroke-linecap": "round",
				"stroke-linejoin": "round"
			})
		}), /* @__PURE__ */ a$1("span", { children: "Assay" })]
	});
}
function Footer({ source, frame: { language, path, version } }) {
	const words = frame_default[language];
	return /* @__PURE__ */ a$1("footer", {
		class: "foot",
		children: /* @__PURE__ */ a$1("div", {
			class: "bar",
			children: [/* @__PURE__ */ a$1("p", { children: [
				"Assay ",
				version,
				". ",
				words.alpha,
				" ",
				source === void 0 ? null : /* @__PURE__ */ a$1("a", {
					href: source,
					children: words.dataBehind
				})
			] }), /* @__PURE__ */ a$1("nav", {
				class: "languages",
				"aria-label": words.language,
				children: LANGUAGES.map((each) => each === language ? /* @__PURE__ */ a$1("span", {
					lang: each,
					children: LANGUAGE_NAMES[each]
				}) : /* @__PURE__ */ a$1("a", {
					lang: each,
					hreflang: each,
					rel: "alternate",
					href: pathFor({
						language: each,
						explicit: true
					}, path),
					children: LANGUAGE_NAMES[each]
				}))
			})]
		})
	});
}
/** What a page says that cannot be shown. @param detail in English */
function refusedContent({ status, detail }, frame) {
	const words = frame_default[frame.language];
	const isMissing = status === 404;
	const title = isMissing ? words.notFound : words.failed;
	const told = frame.language === "en" ? detail : "";
	const text = told === "" && isMissing ? words.noPage : told;
	return {
		title,
		main: /* @__PURE__ */ a$1("div", {
			class: "sheet",
			children: [
				/* @__PURE__ */ a$1("h1", { children: title }),
				/* @__PURE__ */ a$1("p", { children: text }),
				/* @__PURE__ */ a$1("p", { children: /* @__PURE__ */ a$1(PageLink, {
					to: "/",
					children: words.back
				}) })
			]
		})
	};
}
var names_default = {
	en: {
		"sessions": {
			"overnight": "Overnight",
			"pre-market": "Pre-market",
			"regular": "Regular session",
			"post-market": "Post-market",
			"closed": "Closed"
		},
		"states": {
			"agreed": "sources agree",
			"single": "one source alone",
			"disputed": "sources disagree",
			"halted": "halted",
			"listed": "in its issuer's list",
			"missing": "not in its issuer's list",
			"migrated": "at another address"
		},
		"issuers": {
			"xstocks": "xStocks",
			"ondo": "Ondo",
			"bstocks": "bStocks"
		},
		"chains": {
			"solana": "Solana",
			"bnb": "BNB Chain"
		}
	},
	zh: {
		"sessions": {
			"overnight": "夜盘",
			"pre-market": "盘前",
			"regular": "常规交易",
			"post-market": "盘后",
			"closed": "休市"
		},
		"states": {
			"agreed": "来源一致",
			"single": "单一来源",
			"disputed": "来源不一致",
			"halted": "暂停交易",
			"listed": "在发行方列表中",
			"missing": "不在发行方列表中",
			"migrated": "地址已变更"
		},
		"issuers": {
			"xstocks": "xStocks",
			"ondo": "Ondo",
			"bstocks": "bStocks"
		},
		"chains": {
			"solana": "Solana",
			"bnb": "BNB 链"
		}
	}
};
// web/format.ts
/** Figures as the pages print them, and words with names for what figures are of. */
var LOCALES = {
	en: "en-US",
	zh: "zh-CN"
};
var numbers = /* @__PURE__ */ new Map();
function numberFormat(language, options) {
	const key = language + JSON.stringify(options);
	const known = numbers.get(key) ?? new Intl.NumberFormat(LOCALES[language], options);
	numbers.set(key, known);
	return known;
}
/** Basis points with a sign and one place: `+12.3`. */
var bps = (value) => value === null ? "–" : signedBps(value);
/** Whole numbers with thousands: `12,345`. */
function count(value, language) {
	return numberFormat(language, { maximumFractionDigits: 0 }).format(value);
}
/** US dollars, short: `$1.2M`, 中文 `US$120万`. */
function dollars(value, language) {
	if (value === null || !Number.isFinite(value)) return "–";
	return numberFormat(language, {
		style: "currency",
		currency: "USD",
		notation: "compact",
		minimumFractionDigits: 0,
		maximumFractionDigits: value < 1e3 ? 0 : 1
	}).format(value);
}
/** A price with two places, or four below a dollar: `$1,234.50`. */
function price(decimal) {
	if (decimal === null) return "–";
	const value = Number(decimal);
	return `$${grouped(value.toFixed(value < 1 ? 4 : 2))}`;
}
/** How long ago: `12 s`, `4 min`, `3 h`, `2 d`. @param seconds null: not known */
var ago = (seconds, language) => seconds === null ? "–" : agoText$1(seconds, language);
/** A session, state, issuer or chain as people know it. What has no name stands as it is. */
function nameOf(kind, key, language) {
	const names = names_default[language][kind];
	return Object.hasOwn(names, key) ? names[key] ?? key : key;
}
/** How the sources of a figure stand to each other, and whether its market stands still; empty: there is no figure. */
function standing({ state, halted }, language) {
	const texts = state === null ? [] : [nameOf("states", state, language)];
	if (halted) texts.push(nameOf("states", "halted", language));
	return texts.join(", ");
}
var market_default = {
	en: {
		"title": "Tokenized US stocks, checked",
		"headline": "Tokenized US stocks, on facts that anyone can check.",
		"lead": "Assay measures what each token costs against its stock, and judges trades on recorded, signed evidence. An on-chain guard lets a trade through only with that judgement, and anybody can judge it again.",
		"checkBefore": "Have a report?",
		"check": "Judge it again in your browser",
		"checkAfter": ".",
		"market": "The market",
		"asOf": "As of",
		"session": "US stock market",
		"volume": "Volume, 24 h",
		"volumeOf": "on DEXes, figures up to an hour old",
		"liquidity": "Liquidity",
		"liquidityOf": "in the pools of the same tokens",
		"tokens": "Tokens listed",
		"tokensWithData": "{number} with DEX data now",
		"noDatabase": "the database does not answer",
		"pager": "Pages of the market",
		"before": "← Before",
		"next": "Next →",
		"pageOf": "{page} of {pages}",
		"how": "How a trade gets through",
		"step1": {
			"name": "Evidence",
			"text": "Quotes computed from the state of the pools, reference prices with their age, halts, liquidity: all at one block, each with its source and kind of proof."
		},
		"step2": {
			"name": "Judgement",
			"text": "Each check of the policy passes, fails or is unavailable. What is not known denies. Report and evidence are bound by one hash."
		},
		"step3": {
			"name": "Guard",
			"text": "The contract enforces the certificate: exact amount, minimum output, recipient, route, deadline. Anything else reverts."
		},
		"until": "until",
		"filterSession": "Session",
		"token": "Token",
		"premium": "Premium, bps",
		"premiumHelp": "above (+) or below (−) the stock",
		"week": "7 days",
		"range": "Low to high, bps",
		"measured": "Measured",
		"none": "no price this week",
		"away": "not available now",
		"hourOf": "hour of",
		"spark": "Premium of {symbol} over seven days, from {low} to {high} basis points",
		"empty": "No token is listed.",
		"issuer": "Issuer",
		"chain": "Chain",
		"all": "All",
		"apply": "Show",
		"clear": "Show all",
		"apart": "{spread} bps apart",
		"noMatch": "No token matches.",
		"sortBy": "Sort by {name}",
		"totalsLabel": "{name} by day, {days} days: {last} on {lastDay}, highest {high} on {highDay}",
		"gaps": "Gaps: days without figures of all tokens.",
		"search": "Symbol, name, address or report",
		"searchHelp": "A report's hash opens the report.",
		"price": "Price",
		"grade": "Grade",
		"sessionAlways": "simulated: it never closes"
	},
	zh: {
		"title": "经过核验的代币化美股",
		"headline": "代币化美股，依据人人可查的事实。",
		"lead": "Assay 持续测量每个代币相对其股票的价格，并依据有记录、有签名的证据评判交易。链上守卫合约只放行通过评判的交易，任何人都可以重新评判。",
		"checkBefore": "手上有报告？",
		"check": "在浏览器中重新评判",
		"checkAfter": "。",
		"market": "市场",
		"asOf": "截至",
		"session": "美国股市",
		"volume": "24 小时成交额",
		"volumeOf": "DEX 成交，数据不超过一小时",
		"liquidity": "流动性",
		"liquidityOf": "同一批代币的资金池",
		"tokens": "收录代币",
		"tokensWithData": "其中 {number} 个现有 DEX 数据",
		"noDatabase": "数据库没有响应",
		"pager": "市场分页",
		"before": "← 上一页",
		"next": "下一页 →",
		"pageOf": "第 {page} 页，共 {pages} 页",
		"how": "一笔交易如何放行",
		"step1": {
			"name": "证据",
			"text": "由资金池状态算出的报价、带时效的参考价格、停牌与流动性：取自同一区块，逐项注明来源与证明方式。"
		},
		"step2": {
			"name": "评判",
			"text": "策略的每项检查或通过、或不通过、或无法得知；无法得知即拒绝。报告与证据由同一个哈希绑定。"
		},
		"step3": {
			"name": "守卫",
			"text": "合约执行证书的限制：确切数量、最低所得、接收人、路由与期限。其余一律回退。"
		},
		"until": "至",
		"filterSession": "时段",
		"token": "代币",
		"premium": "溢价（基点）",
		"premiumHelp": "高于（+）或低于（−）股票",
		"week": "7 天",
		"range": "最低至最高（基点）",
		"measured": "测量",
		"none": "本周无价格",
		"away": "数据暂不可用",
		"hourOf": "时段",
		"spark": "{symbol} 七天溢价，{low} 至 {high} 基点",
		"empty": "没有收录代币。",
		"issuer": "发行方",
		"chain": "链",
		"all": "全部",
		"apply": "显示",
		"clear": "显示全部",
		"apart": "相差 {spread} 基点",
		"noMatch": "没有代币符合这些条件。",
		"sortBy": "按{name}排序",
		"totalsLabel": "近 {days} 天{name}（每日）：{lastDay} 为 {last}，最高 {high}（{highDay}）",
		"gaps": "空缺：当日并非所有代币都有数据。",
		"search": "代码、名称、地址或报告",
		"searchHelp": "输入报告哈希即打开报告。",
		"price": "价格",
		"grade": "评级",
		"sessionAlways": "模拟市场，从不休市"
	}
};
// web/pages/MarketTable.tsx
/** The path of a choice: what is by default is not said. */
function choicePath(choice) {
	const { search, issuer, chain, session, sort, ascending, page } = choice;
	const query = new URLSearchParams();
	if (search !== "") query.set("q", search);
	for (const [name, value] of Object.entries({
		issuer,
		chain,
		session,
		sort
	})) if (value !== null) query.set(name, value);
	if (sort !== null && ascending !== (sort === "symbol")) query.set("order", ascending ? "asc" : "desc");
	if (page > 1) query.set("page", String(page));
	return query.size === 0 ? "/" : `/?${query}`;
}
function MarketFilters({ page: { choice, issuers, chains } }) {
	const { language, explicit } = j(ReaderContext);
	const words = market_default[language];
	const { search, issuer, chain, session, sort, ascending } = choice;
	const isNarrowed = search !== "" || issuer !== null || chain !== null || session !== null;
	const all = {
		...choice,
		search: "",
		issuer: null,
		chain: null,
		session: null,
		page: 1
	};
	return /* @__PURE__ */ a$1("form", {
		class: "filters",
		action: "/",
		children: [
			/* @__PURE__ */ a$1("label", {
				class: "search",
				children: [/* @__PURE__ */ a$1("span", { children: words.search }), /* @__PURE__ */ a$1("input", {
					type: "search",
					name: "q",
					value: search,
					maxLength: 200,
					"aria-description": words.searchHelp
				})]
			}),
			/* @__PURE__ */ a$1(Choice, {
				name: "issuer",
				label: words.issuer,
				kind: "issuers",
				values: issuers,
				chosen: issuer
			}),
			/* @__PURE__ */ a$1(Choice, {
				name: "chain",
				label: words.chain,
				kind: "chains",
				values: chains,
				chosen: chain
			}),
			/* @__PURE__ */ a$1(Choice, {
				name: "session",
				label: words.filterSession,
				kind: "sessions",
				values: MARKET_SESSIONS,
				chosen: session
			}),
			sort === null ? null : /* @__PURE__ */ a$1("input", {
				type: "hidden",
				name: "sort",
				value: sort
			}),
			sort === null ? null : /* @__PURE__ */ a$1("input", {
				type: "hidden",
				name: "order",
				value: ascending ? "asc" : "desc"
			}),
			explicit ? /* @__PURE__ */ a$1("input", {
				type: "hidden",
				name: "lang",
				value: language
			}) : null,
			/* @__PURE__ */ a$1("button", {
				type: "submit",
				children: words.apply
			}),
			isNarrowed ? /* @__PURE__ */ a$1(PageLink, {
				to: choicePath(all),
				children: words.clear
			}) : null
		]
	});
}
function Choice({ name, label, kind, values, chosen }) {
	const language = useLanguage();
	return /* @__PURE__ */ a$1("label", { children: [/* @__PURE__ */ a$1("span", { children: label }), /* @__PURE__ */ a$1("select", {
		name,
		children: [/* @__PURE__ */ a$1("option", {
			value: "",
			children: market_default[language].all
		}), values.map((value) => /* @__PURE__ */ a$1("option", {
			value,
			selected: value === chosen,
			children: nameOf(kind, value, language)
		}))]
	})] });
}
function MarketTable({ page }) {
	const words = market_default[useLanguage()];
	const { choice, rows, hasPrices } = page;
	if (rows.length === 0) return /* @__PURE__ */ a$1("p", { children: choicePath(choice) === "/" ? words.empty : words.noMatch });
	return /* @__PURE__ */ a$1("div", {
		class: "scroll",
		children: /* @__PURE__ */ a$1("table", {
			class: "market",
			children: [/* @__PURE__ */ a$1("thead", { children: /* @__PURE__ */ a$1("tr", { children: [
				/* @__PURE__ */ a$1(Head, {
					choice,
					sort: "symbol",
					name: words.token
				}),
				hasPrices ? /* @__PURE__ */ a$1("th", {
					class: "number",
					scope: "col",
					children: words.price
				}) : null,
				/* @__PURE__ */ a$1(Head, {
					choice,
					sort: "premium",
					name: words.premium,
					help: words.premiumHelp
				}),
				/* @__PURE__ */ a$1("th", {
					scope: "col",
					children: words.week
				}),
				/* @__PURE__ */ a$1("th", {
					scope: "col",
					class: "number wide",
					children: words.range
				}),
				/* @__PURE__ */ a$1(Head, {
					choice,
					sort: "liquidity",
					name: words.liquidity
				}),
				/* @__PURE__ */ a$1(Head, {
					choice,
					sort: "volume",
					name: words.volume
				}),
				hasPrices ? /* @__PURE__ */ a$1("th", {
					scope: "col",
					children: words.grade
				}) : null,
				/* @__PURE__ */ a$1("th", {
					scope: "col",
					class: "wide",
					children: words.measured
				})
			] }) }), /* @__PURE__ */ a$1("tbody", { children: rows.map((row) => /* @__PURE__ */ a$1(Row, {
				row,
				now: page.now,
				hasPrices
			})) })]
		})
	});
}
/** A column's name, which sorts by it; a second time the other way round. */
function Head({ choice, sort, name, help }) {
	const reader = j(ReaderContext);
	const isSorted = choice.sort === sort;
	const ascending = isSorted ? !choice.ascending : sort === "symbol";
	const order = choice.ascending ? "ascending" : "descending";
	const arrow = choice.ascending ? " ↑" : " ↓";
	return /* @__PURE__ */ a$1("th", {
		scope: "col",
		class: sort === "symbol" ? void 0 : "number",
		"aria-sort": isSorted ? order : void 0,
		children: [/* @__PURE__ */ a$1("a", {
			href: pathFor(reader, choicePath({
				...choice,
				sort,
				ascending,
				page: 1
			})),
			title: filled(market_default[reader.language].sortBy, { name }),
			children: [name, isSorted ? arrow : ""]
		}), help === void 0 ? null : /* @__PURE__ */ a$1("small", { children: help })]
	});
}
function Row({ row, now, hasPrices }) {
	const language = useLanguage();
	const { token, newest, low, high } = row;
	const name = language === "zh" ? token.nameCn : token.nameEn;
	const issued = `${nameOf("issuers", token.issuer, language)} · ${nameOf("chains", token.chain, language)}`;
	return /* @__PURE__ */ a$1("tr", { children: [
		/* @__PURE__ */ a$1("th", {
			scope: "row",
			children: [/* @__PURE__ */ a$1(PageLink, {
				to: token.path,
				children: token.symbol
			}), /* @__PURE__ */ a$1("small", { children: `${name} · ${issued}` })]
		}),
		hasPrices ? /* @__PURE__ */ a$1("td", {
			class: "number",
			children: price(row.priceUsd)
		}) : null,
		/* @__PURE__ */ a$1("td", {
			class: `number premium ${toneOf(newest?.premium ?? null)}`,
			children: [bps(newest?.premium ?? null), newest === null ? null : /* @__PURE__ */ a$1("small", { children: standingOf(newest, language) })]
		}),
		/* @__PURE__ */ a$1("td", { children: /* @__PURE__ */ a$1(Week, {
			row,
			now
		}) }),
		/* @__PURE__ */ a$1("td", {
			class: "number wide soft",
			children: low === null ? "" : `${bps(low)} … ${bps(high)}`
		}),
		/* @__PURE__ */ a$1("td", {
			class: "number",
			children: dollars(row.liquidityUsd, language)
		}),
		/* @__PURE__ */ a$1("td", {
			class: "number",
			children: dollars(row.volumeUsd, language)
		}),
		hasPrices ? /* @__PURE__ */ a$1("td", { children: row.grade ?? "–" }) : null,
		/* @__PURE__ */ a$1("td", {
			class: "wide soft",
			children: newest === null ? null : /* @__PURE__ */ a$1(Measured, { newest })
		})
	] });
}
function toneOf(premium) {
	if (premium === null || Math.abs(premium) < .05) return "";
	return premium < 0 ? "down" : "up";
}
/** How its sources stand to each other, and how far apart those that agree are. */
function standingOf(newest, language) {
	const { state, spread } = newest;
	const texts = [standing(newest, language)];
	if (spread !== null && state !== "single") texts.push(filled(market_default[language].apart, { spread: spread.toFixed(1) }));
	return texts.filter((text) => text !== "").join(", ");
}
function Measured({ newest: { source, session, hour } }) {
	const language = useLanguage();
	return /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1("span", { children: source }), /* @__PURE__ */ a$1("small", { children: [
		nameOf("sessions", session, language),
		", ",
		market_default[language].hourOf,
		" ",
		/* @__PURE__ */ a$1(Clock, { seconds: hour })
	] })] });
}
var WIDTH = 168;
var LINE_HEIGHT = 36;
var PAD = 3;
/** Hours that make one place of the line. */
var STEP$1 = 2;
/** A week as a line. Hours without a figure are gaps, no line leads over them. */
function Week({ row: { token, week, low, high }, now }) {
	const words = market_default[useLanguage()];
	if (week === null) return /* @__PURE__ */ a$1("span", {
		class: "soft",
		children: words.away
	});
	const places = placesOf(week, now);
	const known = places.filter((value) => value !== null);
	if (known.length < 2) return /* @__PURE__ */ a$1("span", {
		class: "soft",
		children: words.none
	});
	const bottom = Math.min(0, ...known);
	const top = Math.max(0, ...known);
	const y = (value) => Math.round(PAD + (top - value) / (top - bottom || 1) * 30);
	const label = filled(words.spark, {
		symbol: token.symbol,
		low: bps(low),
		high: bps(high)
	});
	return /* @__PURE__ */ a$1("svg", {
		class: "spark",
		viewBox: `0 0 ${WIDTH} ${LINE_HEIGHT}`,
		preserveAspectRatio: "none",
		role: "img",
		"aria-label": label,
		children: [/* @__PURE__ */ a$1("path", {
			class: "zero",
			d: `M0 ${y(0)}H${WIDTH}`
		}), /* @__PURE__ */ a$1("path", { d: linePath(places, y) })]
	});
}
/** The last figure of each two hours of the last seven days, oldest first. */
function placesOf(week, now) {
	const end = Math.floor(now / 3600) + 1;
	const places = Array.from({ length: WIDTH / STEP$1 }, () => null);
	for (const [hour, value] of week) {
		const place = Math.floor((hour / 3600 - (end - WIDTH)) / STEP$1);
		if (value !== null && place >= 0 && place < places.length) places[place] = value;
	}
	return places;
}
/** From place to place by steps, which take half the room of places; each part begins with a dot, and may be no more. */
function linePath(places, y) {
	let path = "";
	let previous = null;
	for (const [place, value] of places.entries()) {
		const height = value === null ? null : y(value);
		if (height !== null && previous === null) path += `M${place * STEP$1 + STEP$1 / 2} ${height}h.1`;
		if (height !== null && previous !== null) path += `l${STEP$1} ${height - previous}`;
		previous = height;
	}
	return path;
}
function MarketPager({ choice, pages }) {
	const reader = j(ReaderContext);
	const words = market_default[reader.language];
	const { page } = choice;
	if (pages <= 1) return null;
	const to = (number) => pathFor(reader, choicePath({
		...choice,
		page: number
	}));
	return /* @__PURE__ */ a$1("nav", {
		class: "pager",
		"aria-label": words.pager,
		children: [
			page > 1 ? /* @__PURE__ */ a$1("a", {
				rel: "prev",
				href: to(page - 1),
				children: words.before
			}) : /* @__PURE__ */ a$1("span", {}),
			/* @__PURE__ */ a$1("span", {
				class: "soft number",
				children: filled(words.pageOf, {
					page,
					pages
				})
			}),
			page < pages ? /* @__PURE__ */ a$1("a", {
				rel: "next",
				href: to(page + 1),
				children: words.next
			}) : /* @__PURE__ */ a$1("span", {})
		]
	});
}
// web/pages/Market.tsx
function marketContent(page, { language }) {
	const words = market_default[language];
	return {
		title: words.title,
		description: words.lead,
		source: "/api/market-overview?days=90",
		main: /* @__PURE__ */ a$1(Market$1, { page })
	};
}
function Market$1({ page }) {
	const words = market_default[useLanguage()];
	const isFirst = choicePath(page.choice) === "/";
	return /* @__PURE__ */ a$1($$1, { children: [
		isFirst ? /* @__PURE__ */ a$1(Hero, {}) : /* @__PURE__ */ a$1("h1", { children: words.market }),
		/* @__PURE__ */ a$1(Figures, { page }),
		/* @__PURE__ */ a$1(Totals, {
			days: page.days,
			now: page.now
		}),
		/* @__PURE__ */ a$1("section", {
			"aria-labelledby": "market",
			children: [
				/* @__PURE__ */ a$1("div", {
					class: "head",
					children: [/* @__PURE__ */ a$1("h2", {
						id: "market",
						children: isFirst ? words.market : words.tokens
					}), /* @__PURE__ */ a$1("p", {
						class: "soft",
						children: [
							words.asOf,
							" ",
							/* @__PURE__ */ a$1(Moment, { seconds: page.now })
						]
					})]
				}),
				/* @__PURE__ */ a$1(MarketFilters, { page }),
				/* @__PURE__ */ a$1(MarketTable, { page }),
				/* @__PURE__ */ a$1(MarketPager, {
					choice: page.choice,
					pages: page.pages
				})
			]
		}),
		isFirst ? /* @__PURE__ */ a$1(Steps$1, {}) : null
	] });
}
function Hero() {
	const words = market_default[useLanguage()];
	return /* @__PURE__ */ a$1("section", {
		class: "hero",
		children: [
			/* @__PURE__ */ a$1("h1", { children: words.headline }),
			/* @__PURE__ */ a$1("p", {
				class: "lead soft",
				children: words.lead
			}),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: [
					words.checkBefore,
					" ",
					/* @__PURE__ */ a$1(PageLink, {
						to: "/verify",
						children: words.check
					}),
					words.checkAfter
				]
			})
		]
	});
}
function Figures({ page: { session, totals } }) {
	const language = useLanguage();
	const words = market_default[language];
	const until = session === null ? words.sessionAlways : /* @__PURE__ */ a$1($$1, { children: [
		words.until,
		" ",
		/* @__PURE__ */ a$1(Moment, { seconds: session.closesAt })
	] });
	const withData = totals === null ? words.noDatabase : filled(words.tokensWithData, { number: count(totals.withData, language) });
	const figure = (value, about) => /* @__PURE__ */ a$1($$1, { children: [value, /* @__PURE__ */ a$1("small", { children: about })] });
	const tokens = totals === null ? "–" : count(totals.tokens, language);
	return /* @__PURE__ */ a$1(Rows, {
		kind: "figures",
		of: [
			[words.session, figure(nameOf("sessions", session?.state ?? "regular", language), until)],
			[words.volume, figure(dollars(totals?.volumeUsd ?? null, language), words.volumeOf)],
			[words.liquidity, figure(dollars(totals?.liquidityUsd ?? null, language), words.liquidityOf)],
			[words.tokens, figure(tokens, withData)]
		]
	});
}
/** Days of the totals' charts. */
var TOTAL_DAYS = 90;
var STEP = 4;
var HEIGHT = 60;
/** The totals of 90 days as two small charts, drawn here so that they need no script. */
function Totals({ days, now }) {
	const words = market_default[useLanguage()];
	const known = days.filter(({ volumeUsd, liquidityUsd }) => volumeUsd !== null && liquidityUsd !== null);
	if (known.length < 2) return null;
	return /* @__PURE__ */ a$1("div", {
		class: "totals",
		children: [
			/* @__PURE__ */ a$1(Bars, {
				name: words.volume,
				days: known,
				now,
				amountOf: ({ volumeUsd }) => volumeUsd ?? 0
			}),
			/* @__PURE__ */ a$1(Bars, {
				name: words.liquidity,
				days: known,
				now,
				amountOf: ({ liquidityUsd }) => liquidityUsd ?? 0
			}),
			known.length < days.length ? /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: words.gaps
			}) : null
		]
	});
}
/** A bar a day; a day without totals is a gap. */
function Bars({ name, days, now, amountOf }) {
	const language = useLanguage();
	const last = days[days.length - 1];
	const highest = days.reduce((one, other) => amountOf(other) > amountOf(one) ? other : one);
	if (last === void 0) return null;
	const dayOf = ({ day }) => dayText(Date.parse(day), {
		language,
		zone: "UTC"
	});
	const label = filled(market_default[language].totalsLabel, {
		name,
		days: TOTAL_DAYS,
		last: dollars(amountOf(last), language),
		lastDay: dayOf(last),
		high: dollars(amountOf(highest), language),
		highDay: dayOf(highest)
	});
	const today = Math.floor(now / 86400);
	const path = days.map((day) => {
		const place = TOTAL_DAYS - (today - Date.parse(day.day) / 864e5);
		const height = Math.max(1, Math.round(amountOf(day) / (amountOf(highest) || 1) * 58));
		return place < 0 ? "" : `M${place * STEP + STEP / 2} ${HEIGHT}v-${height}`;
	}).join("");
	return /* @__PURE__ */ a$1("figure", { children: [/* @__PURE__ */ a$1("figcaption", { children: label }), /* @__PURE__ */ a$1("svg", {
		viewBox: `0 0 360 ${HEIGHT}`,
		preserveAspectRatio: "none",
		role: "img",
		"aria-label": label,
		children: /* @__PURE__ */ a$1("path", { d: path })
	})] });
}
function Steps$1() {
	const words = market_default[useLanguage()];
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "how",
		children: [/* @__PURE__ */ a$1("h2", {
			id: "how",
			children: words.how
		}), /* @__PURE__ */ a$1("ol", {
			class: "steps",
			children: [
				words.step1,
				words.step2,
				words.step3
			].map(({ name, text }) => /* @__PURE__ */ a$1("li", { children: [/* @__PURE__ */ a$1("h3", { children: name }), /* @__PURE__ */ a$1("p", { children: text })] }))
		})]
	});
}
// web/island.tsx
/** On the server: the component that the children are, and its props beside it. */
function Island({ name, props, children }) {
	const json = JSON.stringify(props).replaceAll("<", "\\u003c");
	return /* @__PURE__ */ a$1("div", {
		class: "island",
		children: [/* @__PURE__ */ a$1("div", {
			"data-island": name,
			children
		}), /* @__PURE__ */ a$1("script", {
			type: "application/json",
			dangerouslySetInnerHTML: { __html: json }
		})]
	});
}
Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent));
/** Decimal text without zeros at its end: -1250 with 2 places is "-12.5". */
function decimalText({ digits, places }) {
	const size = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
	const whole = size.slice(0, size.length - places);
	const fraction = size.slice(size.length - places).replace(/0+$/, "");
	return `${digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
// attestor/values/wholeUnits.ts
/** Raw units of a token as people write them. */
/**
* Exact, without zeros at its end: 10000 raw units of a token with 6 decimals are `0.01`.
* @param raw decimal text or a number of raw units
*/
var wholeUnits = (raw, decimals) => decimalText({
	digits: BigInt(raw),
	places: decimals
});
var checks_default = {
	session: {
		"name": "Market session",
		"question": "Is the stock market in a session that the policy allows?",
		"unit": "text",
		"limit": "allowed: {limit}"
	},
	"trading-halt": {
		"name": "Trading halted",
		"question": "Does anybody say that trading of the token is halted?",
		"unit": "text",
		"limit": "must be {limit}"
	},
	"corporate-action": {
		"name": "Next change of shares per token",
		"question": "Is a change of the shares per token (a split, a dividend) announced for these minutes?",
		"unit": "s",
		"limit": "none within {limit}"
	},
	"settlement-peg": {
		"name": "Settlement token off one dollar",
		"question": "Is the settlement token worth its dollar?",
		"unit": "bps",
		"limit": "at most {limit} either way",
		"bound": "either"
	},
	"reference-sources": {
		"name": "Sources of the stock's price",
		"question": "Do enough sources state a price of the stock?",
		"unit": "count",
		"limit": "at least {limit}"
	},
	"reference-age": {
		"name": "Age of the stock's price",
		"question": "Is the newest price of the stock new enough?",
		"unit": "s",
		"limit": "at most {limit}",
		"bound": "most"
	},
	"reference-agreement": {
		"name": "Difference between price sources",
		"question": "Do the sources of the stock's price agree?",
		"unit": "bps",
		"limit": "at most {limit}",
		"bound": "most"
	},
	"reference-confidence": {
		"name": "Widest confidence interval of a price",
		"question": "Are the sources sure of the price that they state?",
		"unit": "bps",
		"limit": "at most {limit}",
		"bound": "most"
	},
	premium: {
		"name": "Premium against the trader",
		"question": "How far is the token's price from the stock's, against the trader?",
		"unit": "bps",
		"limit": "at most {limit}",
		"bound": "most"
	},
	route: {
		"name": "Route on the guard's allowlist",
		"question": "Is the way that the trade takes on the guard's list?",
		"unit": "text",
		"limit": "must be {limit}"
	},
	impact: {
		"name": "Price impact",
		"question": "How much worse is the price because of the trade's own size?",
		"unit": "bps",
		"limit": "at most {limit}",
		"bound": "most"
	},
	"minimum-output": {
		"name": "Quoted output",
		"question": "Does the quote pay the least that the recipient must get?",
		"unit": "raw",
		"limit": "at least {limit}"
	},
	slippage: {
		"name": "Slippage accepted",
		"question": "Does the trade accept no more slippage than the policy allows?",
		"unit": "bps",
		"limit": "at most {limit}",
		"bound": "most"
	},
	notional: {
		"name": "Value of the trade",
		"question": "Is the trade no larger than the policy allows?",
		"unit": "USD",
		"limit": "at most {limit}",
		"bound": "most"
	},
	"liquidity-grade": {
		"name": "Liquidity grade",
		"question": "How well has this token traded in the last seven days?",
		"unit": "text",
		"limit": "{limit} or better"
	},
	"liquidity-samples": {
		"name": "Liquidity samples in seven days",
		"question": "Was that liquidity measured often enough?",
		"unit": "count",
		"limit": "at least {limit}"
	},
	"quote-age": {
		"name": "Age of the quoted block",
		"question": "Is the block that was quoted a new one?",
		"unit": "s",
		"limit": "at most {limit}",
		"bound": "most"
	},
	recipient: {
		"name": "Recipient allowed by the guard",
		"question": "Does the guard pay this recipient?",
		"unit": "text",
		"limit": "must be {limit}"
	},
	"guard-active": {
		"name": "Guard paused",
		"question": "Is the guard active, and not paused?",
		"unit": "text",
		"limit": "must be {limit}"
	},
	"guard-signer": {
		"name": "Signer that the guard accepts",
		"question": "Does the guard trust the key that would sign?",
		"unit": "text",
		"limit": "must be {limit}"
	},
	"signed-references": {
		"name": "Prices signed by their publisher",
		"question": "How many prices of the stock carry their publisher's signatures?",
		"unit": "count",
		"limit": "at least {limit}"
	},
	"failed-sources": {
		"name": "Sources that did not answer",
		"question": "Did the sources that the registry lists answer?",
		"unit": "count",
		"limit": "at most {limit}"
	},
	"quote-proof": {
		"name": "Basis of the quote",
		"question": "Is the quote proved by the state of the chain?",
		"unit": "text",
		"limit": "proof {limit}"
	}
};
var findingWords_default = {
	values: {
		"true": "yes",
		"false": "no",
		"overnight": "overnight",
		"pre-market": "pre-market",
		"regular": "regular",
		"post-market": "post-market",
		"closed": "closed",
		"none": "none",
		"nobody says": "no source says",
		"quoter": "the route's own quoter",
		"observed": "observed state of the pools",
		"proved": "proved state of the pools",
		"required": "required",
		"preferred": "preferred",
		"optional": "optional"
	},
	limit: "must be {limit}",
	listed: ", ",
	notKnown: "not known"
};
var words_default = {
	verdicts: {
		"VALID": "Everything that could be checked here holds, and it was issued by a key that you trust.",
		"INVALID": "It was changed, forged, or made by a program with a fault.",
		"UNVERIFIABLE": "Nothing contradicts, but something is missing: it is not confirmed."
	},
	outcomes: {
		"ok": "holds",
		"wrong": "contradicts",
		"unknown": "missing",
		"not asked": "not asked"
	},
	findings: {
		"pass": "passed",
		"fail": "failed",
		"unavailable": "not known"
	},
	findingsIf: {
		"pass": "within its limit, if the evidence is true",
		"fail": "not within its limit",
		"unavailable": "not known"
	},
	decisions: {
		"ALLOW": "allowed",
		"DENY": "denied"
	},
	kinds: {
		"proved": "Proved: Merkle proofs lead to it from the header of the block that you have from the chain.",
		"provedIf": "Proved, if the block is the chain's, which was not checked: Merkle proofs lead to it from its header.",
		"signed": "Signed: its publisher signed it, and the signatures were checked here.",
		"observed": "Observed: read from the chain at that block, where anybody can read it again.",
		"stated": "Stated: a statement of the named source."
	},
	figures: {
		"settlementPriceUsd": "Price of the settlement token",
		"notionalUsd": "Value of the trade",
		"referencePriceUsd": "Price of the stock, per share",
		"sharesPerToken": "Shares per token",
		"tokenPricePerShareUsd": "Price of the token, per share",
		"premiumBps": "Premium of the token over the stock",
		"impactBps": "Price impact of this size",
		"minAmountOutRaw": "Least output"
	},
	units: {
		"bps": "{n} bps",
		"s": "{n} s",
		"USD": "${n}",
		"count": "{n}",
		"raw": "{n} raw {n:unit|units}",
		"text": "{n}"
	},
	trade: {
		"buy": {
			"some": "Buy {symbol}, a token of the stock {underlying}, for {amount} {settlement}.",
			"atLeast": "Buy at least {least} {symbol}, a token of the stock {underlying}, for {amount} {settlement}."
		},
		"sell": {
			"some": "Sell {amount} {symbol}, a token of the stock {underlying}, for {settlement}.",
			"atLeast": "Sell {amount} {symbol}, a token of the stock {underlying}, for at least {least} {settlement}."
		}
	},
	stated: "{trade} The service says: {decision}. Nothing here has checked it."
};
// attestor/view/findingWords.ts
var CHECK_WORDS = new Map(Object.entries(checks_default));
/** Of a check that these words do not know its own name, and texts alone. */
var checkWords = (check) => CHECK_WORDS.get(check) ?? {
	name: check,
	question: "",
	unit: "text",
	limit: findingWords_default.limit
};
var DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
var INTEGER = /^-?[0-9]{1,300}$/;
/** What a finding says, in words. */
function findingCells(finding) {
	const { check, observed, limit, unit, token } = finding;
	return {
		name: findingName(check),
		observed: observed === null ? findingWords_default.notKnown : valueText(observed, unit, token),
		limit: limit === null ? null : filled(checkWords(check).limit, { limit: valueText(limit, unit, token) }),
		used: usedOf(finding)
	};
}
function usedOf({ check, observed, limit }) {
	const { bound } = checkWords(check);
	if (bound === void 0 || observed === null || limit === null) return null;
	if (!DECIMAL.test(observed) || !DECIMAL.test(limit) || Number(limit) <= 0) return null;
	const value = bound === "either" ? Math.abs(Number(observed)) : Math.max(0, Number(observed));
	return Math.min(1, value / Number(limit));
}
/** What a check looks at. */
var findingName = (check) => checkWords(check).name;
var listText = (texts) => texts.join(findingWords_default.listed);
/** Digits of an amount where no more are needed to know it. */
var DIGITS$1 = 6;
/** Raw units of a token, cut towards zero: `0.92537 AAPLx`. */
var shortAmount = (raw, { symbol, decimals }) => `${grouped(cut(wholeUnits(raw, decimals), DIGITS$1))} ${symbol}`;
var named = (names, key) => Object.hasOwn(names, key) ? names[key] : void 0;
/**
* A value as people write it: `12.5 bps`, `$1,234.5`, `2 min 5 s`, `0.9254 AAPLx`. Exact. What is a code of the method is
* a word; what is neither stays as it is.
* @param token whose raw units they are
*/
function valueText(value, unit, token = null) {
	if (unit === "s" && INTEGER.test(value)) return durationText(BigInt(value));
	if (unit === "raw" && token !== null && INTEGER.test(value)) return `${grouped(wholeUnits(value, token.decimals))} ${token.symbol}`;
	if (unit !== null && unit !== "text" && DECIMAL.test(value)) return filled(words_default.units[unit], { n: minus(grouped(value)) });
	return listText(value.split(", ").map((each) => named(findingWords_default.values, each) ?? each));
}
var stepWords_default = {
	questions: {
		"document": "Is it a report that this program can read, and does nothing around it contradict it?",
		"hash": "Does the evidence hash to what the report states? One changed letter gives another hash.",
		"policy": "Is the policy that judged it one that you or this program know?",
		"judgement": "Do figures, findings and decision follow from facts that can all be true at once?",
		"registry": "Are token, route and sources those of the registry that the evidence names?",
		"signatures": "Did the publishers sign the prices that the evidence calls signed?",
		"state": "Do proofs lead from the block to what the evidence says of guard, pools and token?",
		"certificate": "Would a wallet sign and send what was judged, and nothing else?",
		"issuer": "Did a key sign it that you have a reason to trust?",
		"log": "Is it in a decision log that you trust?",
		"chain": "Does a node of yours say the same of block, guard and trade?"
	},
	faults: /* @__PURE__ */ JSON.parse("{\"unreadable\":\"It cannot be read as a report: {reason}.\",\"odd_number\":\"It has the number {number}, and every number of a report is a plain integer.\",\"no_report\":\"It is not a report: evidence or evidenceHash is missing.\",\"schema_unknown\":\"The evidence's schema is {schema}; this program knows {known} alone.\",\"evidence_malformed\":\"The evidence does not fit its schema: {member} {reason}.\",\"envelope_contradicts\":\"These members beside the report contradict it: {members}.\",\"evidence_unhashable\":\"The evidence cannot be hashed: {reason}.\",\"hash_other\":\"The evidence hashes to {hash}, but the report states {claimed}.\",\"policy_other_name\":\"The definition hash does not belong to {policyId} version {version}, which the evidence names.\",\"policy_redefined\":\"It was judged by another policy under the name {policyId} version {version}: that policy has the definition hash {knownHash}, and the evidence names {definitionHash}.\",\"policy_unknown\":\"The policy {policyId} version {version} with the definition hash {definitionHash} is not known here. Give it with --policies, from a source that you trust.\",\"figures_other\":\"These figures do not follow from the facts: {members}.\",\"findings_other\":\"Judged again it is {decision}, and the report differs in: {members}.\",\"session_of_service\":\"Only the service says that the market session is {state}: {source} is no calendar known here, and no signed price states it.\",\"samples_not_named\":\"The liquidity grade cannot be computed again: the evidence names no samples.\",\"liquidity_of_service\":\"Only the service vouches for the liquidity grade. Give its samples, which hash to {root}, with --samples.\",\"samples_unreadable\":\"The given samples cannot be read: {reason}.\",\"samples_not_asked\":\"Samples were given, and the evidence names none.\",\"samples_of_other_hash\":\"The given samples hash to {root}, and the evidence names others.\",\"samples_say_otherwise\":\"Computed from its samples, the liquidity differs in: {members}.\",\"registry_other\":\"The given registry {given} is not registry {version} of the evidence, or says something else about the tokens or the route of this trade.\",\"sources_other\":\"By registry {version} these sources of prices or token facts are wrong: {faults}.\",\"registry_not_of_record\":\"The evidence names registry {version}, {hash}, and {record} has {recordVersion}, {recordHash}. Registries change with time: give the one of the evidence with --registry, and take it neither from this document nor from its service.\",\"registry_missing\":\"Only the service vouches for which token is which stock, what its units and storage mean, and which prices and pools are its own. Give registry {version} with --registry.\",\"registry_of_service\":\"Only the service vouches for which token is which stock, what its units and storage mean, and which prices and pools are its own. Give registry {version} with --registry, from a source that you trust.\",\"policy_of_service\":\"Only the service vouches for the definition of the policy {policyId} version {version}. Give it with --policies, from a source that you trust.\",\"signer_without_proof\":\"A price of {provider} names a signer without a proof, or has a proof without its signer.\",\"proof_broken\":\"The signature on the price of {price} does not hold: {reason}.\",\"signers_unknown\":\"The signature on the price of {price} cannot be checked here: it names the signers {set}, and {reason}. Give their keys with --guardian-sets.\",\"session_unread\":\"The price of {price} names the session {session} as signed, which cannot be read here. Give the meaning of its feed with --guardian-sets.\",\"signed_by_other_set\":\"The price of {price} was signed by {signedBy}, and the evidence names {set}.\",\"signed_otherwise\":\"The publisher of the price of {price} signed something else: {members}.\",\"execution_unreadable\":\"The execution has no readable trade intent and certificate.\",\"not_allowed\":\"It has a certificate for a trade that the report does not allow.\",\"trade_intent_other\":\"What the wallet would sign is not the trade that was judged: {members}.\",\"certificate_other\":\"The certificate does not belong to this trade and this report: {members}.\",\"calls_other\":\"What the wallet would send is not what the certificate allows: {members}.\",\"signed_by_other\":\"The certificate was signed by {signer}, and not by {expected}, which the evidence calls the guard's signer.\",\"signer_misnamed\":\"The certificate was signed by {signer}, and the document names another signer.\",\"route_call_other\":\"The call of the route is not for the quoted trade: {members}.\",\"route_call_unread\":\"The call of the route is of a function that is not known here.\",\"execution_members\":\"This program cannot read these parts of the execution, which a wallet could act on: {members}. Use a newer program, or a document without them.\",\"guard_other\":\"It is about the guard {guard} on chain {chainId}, and you named {named} on chain {namedChainId}.\",\"guard_of_service\":\"Nobody but who signed it says that {guard} on chain {chainId} is a guard. Name yours with --guard.\",\"executor_other\":\"The guard {guard} created the executor {executor}, and the report names {claimed}.\",\"unsigned\":\"It is consistent, but nobody signed it, so anybody could have made it up. Ask for the prepared trade, or for the report version with its execution.\",\"proof_awaited\":\"Nobody signed it yet: when it was saved, the decision log had no proof of it. Fetch it again in a few seconds, from GET /v1/jobs/{jobId}/report with the job's token, and verify that with --log-key.\",\"signer_other\":\"It was signed by {signer}, and not by {trusted}, which you trust.\",\"nobody_trusted\":\"It was signed by {signer}, and you named nobody whom you trust. Name your guard with --guard <chainId>:<address>, or its attestation key with --signer 0x…. Take neither from this document.\",\"key_ended\":\"It was signed by {signer}, a former key of the guard by {record}. Whoever has it can still sign with an earlier date. Ask a node with --rpc whether the guard executed this very trade.\",\"key_ended_unsettled\":\"It was signed by {signer}, a former key of the guard by {record}. Whoever has it can still sign with an earlier date. Ask another node with --rpc whether the guard executed this very trade.\",\"key_unsettled\":\"It was signed by {signer}, and your node did not settle whether that is a key of the guard. Ask another node with --rpc, or name the key with --signer 0x….\",\"key_not_of_record\":\"It was signed by {signer}, which {record} does not know. The key may be newer than the record: ask a node for it with --rpc, or name it with --signer 0x….\",\"keys_unknown_offline\":\"It was signed by {signer}, and no record here has the keys of the guard that you named. Ask a node with --rpc, or name the key with --signer 0x….\",\"key_former\":\"It was signed by {signer}, a former key of the guard. Whoever has it can still sign with an earlier date, and the guard shows no event of this trade. Ask for a new report.\",\"nothing_to_verify\":\"{reason}\",\"node_failed\":\"{reason}\",\"other_chain\":\"The node serves chain {served}, and the report is about chain {chainId}: name a node of that chain with --rpc.\",\"no_guard\":\"Your node shows no guard at {guard}.\",\"code_other\":\"By your node the code of the guard hashes to {seen}, and by {record} to {recorded}. One of the two is not the guard.\",\"block_missing\":\"Your node does not have block {blockNumber}, at which the evidence was read. Its newest block is {head}.\",\"block_other\":\"By your node block {blockNumber} has the hash {seenHash} and the time {seenTime}; the evidence states {blockHash} and {blockTimestamp}. The block was reorganized away, the evidence is of another chain, or the node is unreliable.\",\"no_guard_then\":\"Your node shows no guard at {guard} at block {blockNumber}.\",\"key_other_then\":\"By your node the guard's key at block {blockNumber} was {then}, and not {claimed}.\",\"trade_contradicts\":\"Your node shows a trade on this evidence in {transactionHash} that cannot be: {contradictions}.\",\"trade_on_other_evidence\":\"The guard executed this trade in {transactionHash} on other evidence, {evidenceHash}. By your node this report is not what that trade was certified on.\",\"trade_of_unknown_version\":\"The guard executed a trade of this job in {transactionHash} on other evidence, {evidenceHash}, and the transaction does not show for which version of the report.\",\"read_again_other\":\"At the evidence's block your node says something else about: {fact}. Ask another node.\",\"read_again_failed\":\"Your node could not be asked about: {fact}. {reason}\",\"read_again_stranger\":\"The evidence says that this was read from the chain, and no source known here reads it there: {fact}.\",\"gone_from_node\":\"Your node no longer has this of the evidence's block: {facts}. Ask a node that keeps old state.\",\"quoter_not_known\":\"The quote could not be read again, since the registry names the contract to ask. Give it with --registry.\",\"trade_searched_in_part\":\"Your node was asked for the trade's execution in blocks {from} to {to} alone. Ask a node that searches more.\",\"event_other_evidence\":\"The guard's event names the evidence {named}, and the service gave {given}.\",\"event_differs\":\"The guard's event and the document differ in: {members}.\",\"facts_observed\":\"Nobody but the service read this from the chain: {facts}. Ask a node with --rpc.\",\"block_of_proof\":\"What is proved depends on block {blockHash} being the chain's. Give its header with --header, or ask a node with --rpc.\",\"proofs_missing\":\"The proofs of the chain's state, which hash to {hash}, are missing. Ask for the report again.\",\"proofs_unnamed\":\"It has proofs that the evidence does not name.\",\"proofs_format\":\"The proofs do not parse: {reason}.\",\"proofs_hash\":\"The proofs hash to {computed}, and the evidence names {stated}.\",\"proofs_broken\":\"The proofs do not lead from the header to the state: {reason}.\",\"proofs_block\":\"The header of the proofs is of block {number} at {timestamp}, and hashes to {hash}: that is not the evidence's block.\",\"state_unproved\":\"Nothing proves {slots}.\",\"state_other\":\"The chain's state at the block says otherwise of {slots}.\",\"header_of_other_block\":\"The saved header is of block {given}, and the evidence was read at block {blockNumber}.\",\"header_other\":\"Block {blockNumber} hashes to {given} by the saved header, and to {blockHash} by the evidence.\",\"log_absent\":\"It has no entry in the decision log that you trust. The service could deny to others that it ever issued this report.\",\"log_proof_missing\":\"It has no proof of its entry in the decision log yet. Fetch the report again in a few seconds (GET /v1/jobs/{jobId}/report), or ask the log with assay log find.\",\"log_format\":\"Its member log is not a salt and a proof.\",\"log_proof_broken\":\"The proof of the decision log does not hold: {reason}.\",\"log_entry_other\":\"Entry {index} of the log {origin} is not this report.\",\"log_unchecked\":\"It names an entry of the decision log {origin}, whose signature was not checked. Give the key of the log with --log-key.\",\"log_unknown_key\":\"Its proof is of the decision log {origin}, and none of the keys that you trust signed that.\",\"log_contradicts\":\"The decision log shows different entries to different readers: the service serves a tree of {size} entries that contradicts the one of the proof ({how}).\",\"log_not_served\":\"Whether the service serves the same decision log is not known: {reason}.\",\"witness_missing\":\"These witnesses have not signed the decision log as it is in the proof: {names}. Fetch the report again for a newer proof.\",\"log_key_alone\":\"Only the key of the decision log {origin} vouches that everybody is shown the same log. Name its service with --service, or a witness with --witness.\",\"policy_not_of_intent\":\"The policy is not the one that the intent names.\",\"asset_of_another_chain\":\"{assetKey} is not on the chain that was read.\",\"token_traded_for_itself\":\"The intent trades a token for itself.\",\"stock_not_of_intent\":\"The side or the stock is not the intent's.\",\"settlement_token_not_of_intent\":\"The settlement token is not the intent's.\",\"quote_of_another_amount\":\"The quote is for another amount than the intent.\",\"quote_of_other_tokens\":\"The quote is for other tokens than the intent.\",\"token_fact_of_another_block\":\"What {provider} says of the token was read at block {blockNumber}, which is not the evidence's.\",\"token_fact_without_place\":\"What {provider} says of the token was read at a block and at no contract, or at a contract and at no block.\",\"token_fact_of_another_contract\":\"What {provider} says of the token was read at {address}, which is another token's contract.\",\"layout_without_proofs\":\"The token's layout proves nothing: factor or announcement are not the contract's, or there are no proofs.\",\"provider_under_two_names\":\"One provider counts as two: {provider} and {other}.\",\"contract_under_two_names\":\"The prices of one contract, {address}, count as two: {provider} and {other}.\",\"block_without_time\":\"The evidence's block has no time.\",\"received_after_judgement\":\"What {source} says was received at {at}, after the judgement.\",\"received_long_before_judgement\":\"What {source} says was received at {at}, long before the judgement.\",\"received_before_published\":\"The price of {source} was received at {receivedAt} and published at {publishedAt}, which is later.\",\"grade_not_of_its_impact\":\"The liquidity grade is {follows} by its figures, and not {grade}.\",\"too_many_samples\":\"Nobody takes {sampleN} liquidity samples in seven days.\",\"impact_out_of_bounds\":\"No trade has an impact of {impact} basis points.\",\"liquidity_without_samples\":\"The liquidity has figures without samples, or samples without a time.\",\"liquidity_older_than_its_window\":\"The newest liquidity sample, of {updatedAt}, is older than the window of seven days.\",\"liquidity_after_judgement\":\"The newest liquidity sample, of {updatedAt}, was taken after the judgement.\",\"session_not_of_calendar\":\"The session is {state}, and by the calendar it is {calendar}.\",\"path_not_of_its_route\":\"The quote's path or fees are none that its route's function can trade.\",\"owner_not_allowed_as_recipient\":\"The guard allows every owner as recipient, and the evidence says otherwise.\",\"pools_not_of_hops\":\"{hops} hops have {pools} pools.\",\"pool_of_other_tokens\":\"Pool {pool} is not of the hop's tokens.\",\"pool_of_another_kind\":\"Pool {pool} is none that the route's function trades with.\",\"pool_of_another_fee\":\"Pool {pool} has another fee than the hop.\",\"tick_spacing_not_of_fee\":\"Pool {pool} has a tick spacing that its fee has not.\",\"tick_not_of_price\":\"Pool {pool} has a tick that is not its price's.\",\"words_not_ascending\":\"The words of pool {pool} do not ascend.\",\"ticks_not_ascending\":\"The ticks of pool {pool} do not ascend.\",\"pools_cannot_trade_amount\":\"The pools cannot trade the amount.\",\"pool_state_missing\":\"The trade needs {at}, which the evidence does not have.\",\"quote_not_of_pools\":\"The pools pay {pays}, and not {quoted}.\",\"tiny_trade_of_another_amount\":\"The tiny trade is of another amount than the method's.\",\"tiny_quote_not_of_pools\":\"For the tiny trade the pools pay {pays}, and not {quoted}.\",\"word_not_needed\":\"The trade does not look at word {word} of pool {pool}.\",\"tick_not_crossed\":\"The trade does not cross tick {tick} of pool {pool}.\"}"),
	reservations: {
		"facts_stated": "stated by a source that signs nothing: {facts}",
		"facts_observed": "read from the chain by the service alone: {facts}",
		"block_of_proof": "that block {blockHash}, which the proofs start from, is the chain's",
		"policy_of_service": "the definition of the policy {policyId} version {version}",
		"registry_missing": "which token is which stock, what its units and storage mean, and which prices and pools are its own: registry {version} is missing",
		"registry_of_service": "which token is which stock, what its units and storage mean, and which prices and pools are its own: registry {version} came from the service",
		"session_of_service": "that the market session is {state}: {source} is no calendar known here",
		"samples_not_named": "the liquidity grade: no samples are named that it could be computed from",
		"liquidity_of_service": "the liquidity grade, whose samples were not given",
		"guard_of_service": "that the contract {guard} is a guard: nobody but who signed it says so",
		"local_keys": "that nobody else used the keys of chain {chainId}: those of the local world are published",
		"code_not_recorded": "the code of the guard: no record here says what it should be",
		"trade_searched_in_part": "whether the trade was executed outside blocks {from} to {to}",
		"trade_of_other_version": "the guard executed version {version} of this job's report, in {transactionHash}",
		"gone_from_node": "your node no longer has this of the evidence's block: {facts}",
		"quoter_not_known": "the quote: without the registry nobody here knows which contract to ask",
		"calls_missing": "not in this document: {calls}",
		"allowance_unread": "approval.currentAllowance: ask the token",
		"route_call_unread": "the call of the route, whose function is not known here",
		"members_unread": "parts of the document beside the report: {members}",
		"proofs_missing": "the proofs of the chain's state, which the policy does not require and the document lacks",
		"log_unchecked": "the entry in the decision log {origin}: its signature was not checked",
		"log_absent": "that it is in a decision log: it has no entry",
		"log_proof_missing": "the entry in the decision log, of which it has no proof yet",
		"log_format": "the entry in the decision log, which cannot be read",
		"log_entry_other": "the entry in the decision log",
		"log_key_alone": "that everybody is shown the same decision log"
	},
	issuers: {
		"issued_by_log": "by the decision log {origin}, which you trust, as its entry {index}; no trade was certified with it",
		"issued_by_trusted_key": "by {signer}, the key that you trust",
		"issued_by_guards_key": "by {signer}, the key of the guard that you named",
		"issued_by_recorded_key": "by {signer}, the guard's key according to {record}",
		"issued_by_logged_key": "by {signer}, the guard's key by entry {index} of the decision log {origin}, which you trust",
		"today": ", which the guard names today",
		"executed": ", which the guard named until it had executed this trade"
	}
};
// attestor/view/stepWords.ts
/** What a step looks at, as a question. */
var stepQuestion = (name) => stepWords_default.questions[name];
// attestor/view/words.ts
/** What a report says, in words. Names of steps and facts stay the method's. */
/** Digits of an amount that the sentence shows. */
var DIGITS = 6;
/** What was asked for, in one sentence. */
function tradeSentence(trade) {
	const { side, symbol, underlying, settlementSymbol: settlement, amountIn, minAmountOut } = trade;
	const amount = grouped(amountIn);
	if (minAmountOut === null) return filled(words_default.trade[side].some, {
		symbol,
		underlying,
		settlement,
		amount
	});
	const least = grouped(cut(minAmountOut, DIGITS));
	return filled(words_default.trade[side].atLeast, {
		symbol,
		underlying,
		settlement,
		amount,
		least
	});
}
/** What was asked for, and the decision as its service states it: for a page that judges nothing. */
function statedSentence(trade, decision) {
	return filled(words_default.stated, {
		trade: tradeSentence(trade),
		decision: words_default.decisions[decision]
	});
}
function figureName(name) {
	const { figures } = words_default;
	return Object.hasOwn(figures, name) ? figures[name] : name;
}
// web/report/Facts.tsx
/** What a report was judged on: every fact with what it rests on, and the figures that follow. */
function Facts({ judged: { facts, figures, isBlockKnown } }) {
	const counts = [
		"proved",
		"signed",
		"observed",
		"stated"
	].map((kind) => `${facts.filter((fact) => fact.kind === kind).length} ${kind}`);
	const isConditional = !isBlockKnown && facts.some(({ kind }) => kind === "proved");
	return /* @__PURE__ */ a$1(Folded, {
		id: "facts",
		title: "Facts and figures",
		hint: `${facts.length} facts: ${counts.join(", ")}.`,
		children: [
			isConditional ? /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: words_default.kinds.provedIf
			}) : null,
			/* @__PURE__ */ a$1(Table, {
				name: "Facts",
				kind: "facts",
				heads: [
					"Fact",
					"Value",
					"Kind of proof",
					"Age at judgement",
					"Rests on",
					"Source"
				],
				rows: facts.map((fact) => [
					/* @__PURE__ */ a$1(Short, { text: fact.name }),
					fact.value === null ? "–" : /* @__PURE__ */ a$1(Short, { text: valueText(fact.value, fact.unit) }),
					/* @__PURE__ */ a$1(Kind, {
						kind: fact.kind,
						isBlockKnown
					}),
					ageText(fact.ageSeconds),
					/* @__PURE__ */ a$1(Short, { text: fact.source === null || fact.kind === "signed" ? fact.by : JSON.stringify(fact.by) }),
					fact.source === null ? "–" : JSON.stringify(fact.source)
				])
			}),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: "What follows from the facts; worked out again here:"
			}),
			/* @__PURE__ */ a$1(Rows, { of: figures.map(({ name, value, unit, token }) => [figureName(name), value === null ? "not known" : valueText(value, unit, token)]) })
		]
	});
}
function ageText(seconds) {
	if (seconds === null) return "–";
	const age = agoText$1(seconds, "en");
	return seconds < 0 ? `${age} ahead` : age;
}
function Kind({ kind, isBlockKnown }) {
	const explained = words_default.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
	return /* @__PURE__ */ a$1("span", {
		class: `kind ${kind}`,
		title: explained,
		children: kind
	});
}
// web/report/Findings.tsx
/** The checks of a report as a table that is read at one glance: what was observed, and what would pass. */
var MARKS = {
	pass: "✓",
	fail: "✗",
	unavailable: "?"
};
function Findings({ findings, isVouched }) {
	return /* @__PURE__ */ a$1("table", {
		class: isVouched ? "findings vouched" : "findings",
		children: [/* @__PURE__ */ a$1("thead", { children: /* @__PURE__ */ a$1("tr", { children: [
			/* @__PURE__ */ a$1("th", {
				scope: "col",
				children: "Check"
			}),
			/* @__PURE__ */ a$1("th", {
				scope: "col",
				class: "number",
				children: "Observed"
			}),
			/* @__PURE__ */ a$1("th", {
				scope: "col",
				class: "wide",
				children: "Of its limit"
			}),
			/* @__PURE__ */ a$1("th", {
				scope: "col",
				children: "Passes"
			})
		] }) }), /* @__PURE__ */ a$1("tbody", { children: findings.map((finding, index) => /* @__PURE__ */ a$1(Finding, {
			finding,
			isVouched
		}, `${index} ${finding.check}`)) })]
	});
}
function Finding({ finding, isVouched }) {
	const { check, question, outcome, message } = finding;
	const { name, observed, limit, used } = findingCells(finding);
	const outcomes = isVouched ? words_default.findings : words_default.findingsIf;
	return /* @__PURE__ */ a$1("tr", {
		class: `finding ${outcome}`,
		"data-check": check,
		"data-outcome": outcome,
		children: [
			/* @__PURE__ */ a$1("th", {
				scope: "row",
				title: question === "" ? void 0 : question,
				children: [
					/* @__PURE__ */ a$1("span", {
						class: "tick",
						"aria-hidden": "true",
						children: isVouched || outcome !== "pass" ? MARKS[outcome] : "·"
					}),
					/* @__PURE__ */ a$1("span", {
						class: "hidden",
						children: [outcomes[outcome], ": "]
					}),
					name,
					outcome === "pass" ? null : /* @__PURE__ */ a$1("small", { children: message })
				]
			}),
			/* @__PURE__ */ a$1("td", {
				class: "number",
				children: /* @__PURE__ */ a$1(Short, { text: observed })
			}),
			/* @__PURE__ */ a$1("td", {
				class: "wide",
				children: used === null ? null : /* @__PURE__ */ a$1(Used, { share: used })
			}),
			/* @__PURE__ */ a$1("td", { children: /* @__PURE__ */ a$1(Short, { text: limit ?? "–" }) })
		]
	});
}
/** How much of its limit is used up; the figures beside it say the same. */
function Used({ share }) {
	return /* @__PURE__ */ a$1("svg", {
		class: "used",
		viewBox: "0 0 100 6",
		preserveAspectRatio: "none",
		"aria-hidden": "true",
		children: [/* @__PURE__ */ a$1("rect", {
			class: "limit",
			width: "100",
			height: "6",
			rx: "3"
		}), /* @__PURE__ */ a$1("rect", {
			width: Math.round(share * 100),
			height: "6",
			rx: "3"
		})]
	});
}
// web/report/Report.tsx
/** A report below its verdict: the checks, what was executed, and all else closed. The same before and after it is judged. */
function Report({ view, judged, stored }) {
	const verdict = view?.verdict ?? null;
	return /* @__PURE__ */ a$1("article", {
		class: "report",
		children: [judged === null ? /* @__PURE__ */ a$1("p", { children: "Nothing of the report is shown, because it contradicts itself or could not be judged again. The steps say why." }) : /* @__PURE__ */ a$1($$1, { children: [
			/* @__PURE__ */ a$1(Section, {
				id: "findings",
				title: "Checks",
				hint: findingsHint(judged, verdict),
				children: /* @__PURE__ */ a$1(Findings, {
					findings: judged.findings,
					isVouched: verdict === "VALID"
				})
			}),
			stored === null ? null : /* @__PURE__ */ a$1(ExecutedTrade, {
				judged,
				stored
			}),
			/* @__PURE__ */ a$1(TradeInFull, { judged }),
			/* @__PURE__ */ a$1(Signed$1, {
				judged,
				isJudged: verdict !== null
			}),
			/* @__PURE__ */ a$1(Facts, { judged })
		] }), view === null ? null : /* @__PURE__ */ a$1(Steps, {
			steps: view.steps,
			isOpen: judged === null
		})]
	});
}
function findingsHint({ passed, findings }, verdict) {
	if (verdict === null) return "As the service states it";
	const counted = `${passed} of ${findings.length} checks pass.`;
	if (verdict === "VALID") return counted;
	return `${counted} The evidence compared with the limits of the policy. Whether the evidence is true is not confirmed.`;
}
/** What came of the trade on the chain, by the service's word. */
function ExecutedTrade({ judged, stored: { executed, tokenPath } }) {
	return /* @__PURE__ */ a$1(Section, {
		id: "executed",
		title: "What was executed",
		hint: executed === null ? "The guard executed this trade in a block that is final, by this service's word. The service was not told the transaction." : "This service read it from the guard's event, in a block that is final. Your browser did not ask the chain: compare it with a node or an explorer that you trust.",
		children: [executed === null ? null : /* @__PURE__ */ a$1(Rows, { of: executionRows(judged, executed) }), tokenPath === null ? null : /* @__PURE__ */ a$1("p", { children: /* @__PURE__ */ a$1(PageLink, {
			to: tokenPath,
			children: [judged.trade.symbol, " over time: premium, basis, funding"]
		}) })]
	});
}
function executionRows({ tokens, block }, executed) {
	const { chain, blockNumber, explorer } = executed;
	const chainName = chain === null ? `chain ${block.chainId}` : nameOf("chains", chain, "en");
	return [
		["Spent", /* @__PURE__ */ a$1(Amount, {
			raw: executed.amountInRaw,
			token: tokens.input
		})],
		["Received", /* @__PURE__ */ a$1(Amount, {
			raw: executed.amountOutRaw,
			token: tokens.output
		})],
		["Transaction", /* @__PURE__ */ a$1($$1, { children: [
			/* @__PURE__ */ a$1("code", { children: executed.transactionHash }),
			" ",
			explorer === null ? null : /* @__PURE__ */ a$1("a", {
				href: explorer,
				rel: "noreferrer",
				children: "Open in an explorer"
			})
		] })],
		["Block", named$1(`${grouped(String(blockNumber))} on ${chainName}, final`, executed.blockHash)],
		["Executed", /* @__PURE__ */ a$1(Moment, { seconds: executed.at })]
	];
}
function Amount({ raw, token }) {
	const short = shortAmount(raw, token);
	const exact = valueText(raw, "raw", token);
	return /* @__PURE__ */ a$1($$1, { children: [
		short,
		" ",
		short === exact ? null : /* @__PURE__ */ a$1("small", { children: ["exactly ", exact] })
	] });
}
/** What a trade pays with and what it brings. */
function symbolsOf({ side, symbol, settlementSymbol }) {
	return side === "buy" ? {
		paid: settlementSymbol,
		got: symbol
	} : {
		paid: symbol,
		got: settlementSymbol
	};
}
/** What a trade does and by which policy: what a reader wants to know before its hashes. */
function tradeRows({ trade, policy }) {
	const { paid, got } = symbolsOf(trade);
	const least = trade.minAmountOut === null ? "not known" : `${grouped(trade.minAmountOut)} ${got}`;
	return [
		["Pays", `${grouped(trade.amountIn)} ${paid}`],
		["Gets at least", least],
		["Slippage accepted", `${trade.maxSlippageBps} bps`],
		["Owner", /* @__PURE__ */ a$1("code", { children: trade.owner })],
		["Stock token", named$1(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
		["Settlement token", named$1(trade.settlementSymbol, trade.settlementAddress)],
		["Policy", named$1(`${policy.policyId} ${policy.version}`, policy.hash)]
	];
}
function TradeInFull({ judged }) {
	const { trade, block, registry, log } = judged;
	const rows = tradeRows(judged);
	if (trade.recipient !== trade.owner) rows.push(["Recipient", /* @__PURE__ */ a$1("code", { children: trade.recipient })]);
	rows.push(["Judged", /* @__PURE__ */ a$1(Moment, { seconds: judged.capturedAt })], ["Block", named$1(`${block.number}, chain ${block.chainId}`, block.hash)], ["Registry", named$1(registry.version, registry.hash)], ["Job", codeAnd(judged.jobId, `, report version ${judged.version}`)], ["Evidence hash", /* @__PURE__ */ a$1("code", { children: judged.evidenceHash })]);
	if (log !== null && log.origin !== null) rows.push(["Decision log", logText(log)]);
	return /* @__PURE__ */ a$1(Folded, {
		id: "trade",
		title: "The trade in full",
		hint: "Amounts, times, every address and hash.",
		children: /* @__PURE__ */ a$1(Rows, { of: rows })
	});
}
/** Whether the proof holds says its step. */
function logText({ origin, index, size, signedBy }) {
	const entry = `${origin}, entry ${index} of ${size}`;
	return signedBy.length === 0 ? entry : `${entry}; signed, in its own words, by ${listText(signedBy)}`;
}
/** The certificate, and the event that the guard gives when it carries the trade out. */
function Signed$1({ judged: { certificate, event }, isJudged }) {
	if (certificate === null && event.claimed.length === 0) return null;
	const rows = certificate === null ? [] : certificateRows(certificate, isJudged);
	rows.push(["Guard", codeAnd(event.guard, `, chain ${event.chainId}`)], ["jobId in its event", /* @__PURE__ */ a$1("code", { children: event.jobIdHash })]);
	for (const { transactionHash, state } of event.claimed) rows.push(["The document says that it was carried out by", codeAnd(transactionHash, ` (${state})`)]);
	return /* @__PURE__ */ a$1(Folded, {
		id: "signed",
		title: "What was signed",
		hint: isJudged ? certificateHint(certificate) : void 0,
		children: [/* @__PURE__ */ a$1(Rows, { of: rows }), /* @__PURE__ */ a$1("p", {
			class: "soft small",
			children: "When the guard executes this trade it emits the event TradeExecuted with the hashes of job, intent and evidence. The chain was not asked for it here."
		})]
	});
}
function certificateRows(certificate, isJudged) {
	const { issuedAt, expiresAt, signer, intentHash } = certificate;
	const rows = [
		["From", /* @__PURE__ */ a$1(Moment, { seconds: issuedAt })],
		["Until", /* @__PURE__ */ a$1(Moment, { seconds: expiresAt })],
		["Trade intent", /* @__PURE__ */ a$1("code", { children: intentHash })]
	];
	if (isJudged) rows.push(["Signed by", signer === null ? "nobody with a valid signature" : /* @__PURE__ */ a$1("code", { children: signer })]);
	return rows;
}
function certificateHint(certificate) {
	if (certificate === null) return "The document has no certificate.";
	return certificate.holds ? "It binds this very trade to this evidence, and its signature holds." : "As the document has it. It does not hold: see the steps.";
}
/** Open where nothing else is shown: then the steps are what there is to read. */
function Steps({ steps, isOpen }) {
	const asked = steps.filter(({ outcome }) => outcome !== "not asked");
	const ok = asked.filter(({ outcome }) => outcome === "ok").length;
	return /* @__PURE__ */ a$1(Folded, {
		id: "steps",
		title: "Steps of the verification",
		hint: `${asked.length} steps, ${ok} of them hold. What decides comes first.`,
		isOpen,
		children: /* @__PURE__ */ a$1("ol", {
			class: "stepwise",
			children: steps.map(({ name, outcome, details }) => /* @__PURE__ */ a$1("li", {
				"data-step": name,
				"data-outcome": outcome,
				children: [/* @__PURE__ */ a$1("span", {
					class: `outcome ${outcome.replace(" ", "-")}`,
					children: words_default.outcomes[outcome]
				}), /* @__PURE__ */ a$1("div", { children: [/* @__PURE__ */ a$1("p", { children: [
					stepQuestion(name),
					" ",
					/* @__PURE__ */ a$1("code", { children: name })
				] }), details.map((detail) => /* @__PURE__ */ a$1("p", {
					class: "small",
					children: detail
				}, detail))] })]
			}, name))
		})
	});
}
// web/report/service.ts
/** How the record of the service's own statement is called in the steps. */
var RECORD = "this service";
/**
* Judges with what the reader has, and once more with the service's word where it is asked.
* @param service null: without it
* @returns null: a newer question came
*/
async function judgeWith(judge, asked, service) {
	const question = {
		...asked,
		servicePolicies: [],
		serviceRegistry: null,
		serviceSamples: null
	};
	const alone = await judge.ask(question);
	if (alone === null) return null;
	const outcome = {
		answer: alone,
		trusted: null,
		restsOnService: false,
		isAway: false
	};
	if (service === null || alone.kind !== "judged") return outcome;
	const word = await serviceWord(service, alone.view, asked).catch(() => null);
	if (word === null) return {
		...outcome,
		isAway: true
	};
	const answer = await judge.ask({
		...question,
		...word.given
	});
	if (answer === null) return null;
	const restsOnService = isValid(answer) && !isValid(alone);
	return {
		answer,
		trusted: word.trusted,
		restsOnService,
		isAway: false
	};
}
var isValid = (answer) => answer.kind === "judged" && answer.view.verdict === "VALID";
/** What the reader or this program has comes first. @throws where the service does not answer */
async function serviceWord({ statement, get }, view, { reader, known }) {
	const { guard, signers, logKeys, paths } = statement;
	const textAt = async (path) => path === null ? null : get(path);
	const [policy, serviceRegistry, serviceSamples] = await Promise.all([
		textAt(view.faults.includes("policy_unknown") ? paths.policy : null),
		textAt(reader.registry ? null : paths.registry),
		textAt(reader.samples ? null : paths.samples)
	]);
	const record = {
		...guard,
		record: RECORD,
		keys: signers.map((address) => ({
			address,
			endedAt: null
		})),
		logKeys,
		isServices: true
	};
	const trusted = [];
	const event = view.judged?.event;
	if (event?.guard === guard.address && event.chainId === guard.chainId) {
		trusted.push("its guard", "its attestation key");
		if (logKeys.length > 0) trusted.push("the key of its decision log");
	}
	if (serviceRegistry !== null) trusted.push("the registry");
	if (policy !== null) trusted.push("the policy");
	if (serviceSamples !== null) trusted.push("the liquidity samples");
	const servicePolicies = policy === null ? [] : [policy];
	return {
		trusted,
		given: {
			known: [...known, record],
			servicePolicies,
			serviceRegistry,
			serviceSamples
		}
	};
}
// web/report/TrustFields.tsx
/** Where the reader gives what they trust, and what they have from elsewhere: the options of `assay verify`. */
var FIELDS = {
	guard: {
		label: "The guard that you use",
		option: "--guard",
		example: "56:0x…"
	},
	signer: {
		label: "The attestation key that you trust",
		option: "--signer",
		example: "0x…"
	},
	logKey: {
		label: "Keys of the decision log, one per line",
		option: "--log-key",
		example: "assay.example.com/log+0123abcd+…"
	},
	witness: {
		label: "Witnesses that must have signed, one per line",
		option: "--witness"
	},
	registry: {
		label: "Registry, or a deployment file with it",
		option: "--registry"
	},
	policies: {
		label: "More policies",
		option: "--policies"
	},
	guardianSets: {
		label: "More keys of price publishers",
		option: "--guardian-sets"
	},
	samples: {
		label: "The samples behind the liquidity grade",
		option: "--samples"
	},
	header: {
		label: "The header of the evidence's block, as you have it from the chain",
		option: "--header"
	},
	strict: {
		label: "UNVERIFIABLE where anything was skipped that could be checked",
		option: "--strict"
	}
};
var LINES = ["guard", "signer"];
var AREAS = ["logKey", "witness"];
var FILES = [
	"registry",
	"policies",
	"guardianSets",
	"samples",
	"header"
];
/** More than the longest text that counts has of bytes. */
var MOST_BYTES = 12582912;
function TrustFields({ reader, onChange }) {
	const set = (field, text) => onChange((before) => ({
		...before,
		[field]: text
	}));
	const typed = (field) => ({
		name: field,
		spellcheck: false,
		placeholder: FIELDS[field].example,
		value: reader[field] ?? "",
		onChange: (event) => set(field, event.currentTarget.value)
	});
	return /* @__PURE__ */ a$1("details", {
		class: "fields",
		children: [
			/* @__PURE__ */ a$1("summary", { children: "What you trust, and have from elsewhere" }),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: "Without a reason to trust its issuer, a report is UNVERIFIABLE at best. Take none of these from the document itself. Options that the verdict names are these fields; --rpc and --service are of the command assay verify alone."
			}),
			/* @__PURE__ */ a$1("div", {
				class: "grid",
				children: [
					LINES.map((field) => /* @__PURE__ */ a$1("label", { children: [/* @__PURE__ */ a$1(Label, { field }), /* @__PURE__ */ a$1("input", {
						autocomplete: "off",
						...typed(field)
					})] }, field)),
					AREAS.map((field) => /* @__PURE__ */ a$1("label", { children: [/* @__PURE__ */ a$1(Label, { field }), /* @__PURE__ */ a$1("textarea", {
						rows: 2,
						...typed(field)
					})] }, field)),
					FILES.map((field) => /* @__PURE__ */ a$1(FileField, {
						field,
						isGiven: Boolean(reader[field]),
						set
					}, field)),
					/* @__PURE__ */ a$1("label", { children: [/* @__PURE__ */ a$1(Label, { field: "strict" }), /* @__PURE__ */ a$1("input", {
						name: "strict",
						type: "checkbox",
						checked: Boolean(reader.strict),
						onChange: (event) => set("strict", event.currentTarget.checked ? "yes" : "")
					})] })
				]
			})
		]
	});
}
function Label({ field }) {
	const { label, option } = FIELDS[field];
	return /* @__PURE__ */ a$1("span", { children: [
		label,
		" ",
		/* @__PURE__ */ a$1("code", { children: option })
	] });
}
function FileField({ field, isGiven, set }) {
	const [name, setName] = d("");
	async function take(file) {
		if (file === void 0) return;
		const text = await file.slice(0, MOST_BYTES).text();
		setName(file.name);
		set(field, text);
	}
	return /* @__PURE__ */ a$1("label", { children: [
		/* @__PURE__ */ a$1(Label, { field }),
		/* @__PURE__ */ a$1("input", {
			name: field,
			type: "file",
			onChange: (event) => void take(event.currentTarget.files?.[0])
		}),
		isGiven ? /* @__PURE__ */ a$1("span", {
			class: "small",
			children: [
				"given: ",
				name,
				" ",
				/* @__PURE__ */ a$1("button", {
					type: "button",
					onClick: () => set(field, ""),
					children: "remove"
				})
			]
		}) : null
	] });
}
// web/report/Verdict.tsx
function Verdict({ view, trusted, restsOnService }) {
	return /* @__PURE__ */ a$1(VerdictBox, {
		view,
		meaning: restsOnService ? "Everything that could be checked here holds, if you take this service's word for who it is." : void 0,
		children: [view.judged === null ? null : /* @__PURE__ */ a$1("p", {
			class: "soft small",
			children: "No node was asked: the block, the guard's code, its keys then and now, and whether the trade was executed are not read from the chain. The command assay verify --rpc URL asks your own node."
		}), /* @__PURE__ */ a$1(TrustNote, { trusted })]
	});
}
function TrustNote({ trusted }) {
	if (trusted === null) return /* @__PURE__ */ a$1("p", {
		class: "trusting soft small",
		children: "Offline: checked with what is in the file and in this program, and with what you gave."
	});
	if (trusted.length === 0) return null;
	return /* @__PURE__ */ a$1("p", {
		class: "trusting small",
		children: [
			/* @__PURE__ */ a$1("strong", { children: [
				"Trusting this service for: ",
				listText(trusted),
				"."
			] }),
			" ",
			/* @__PURE__ */ a$1("span", {
				class: "soft",
				children: "These came from the service that served this page. If you do not trust it, turn this off and give what you have from elsewhere."
			})
		]
	});
}
function VerdictBox({ view, meaning, children }) {
	const { verdict, marks, text, summary } = view;
	return /* @__PURE__ */ a$1("section", {
		class: `ruling ${verdict.toLowerCase()}`,
		"data-verdict": verdict,
		children: [
			/* @__PURE__ */ a$1("p", {
				class: "stamp",
				children: [verdict, marks.map((mark) => /* @__PURE__ */ a$1("span", {
					class: "mark",
					children: mark
				}, mark))]
			}),
			/* @__PURE__ */ a$1("p", {
				class: "sentence",
				children: text
			}),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: meaning ?? words_default.verdicts[verdict]
			}),
			/* @__PURE__ */ a$1(Summary, { lines: summary }),
			children
		]
	});
}
/** Lines without a label go on with the one before. */
function Summary({ lines }) {
	const groups = [];
	for (const { label, text } of lines) {
		if (label !== "") groups.push({
			label,
			texts: []
		});
		groups.at(-1)?.texts.push(text);
	}
	if (groups.length === 0) return null;
	return /* @__PURE__ */ a$1("dl", {
		class: "rows summary",
		children: groups.map(({ label, texts }) => /* @__PURE__ */ a$1("div", { children: [/* @__PURE__ */ a$1("dt", { children: label }), /* @__PURE__ */ a$1("dd", { children: texts.map((text) => /* @__PURE__ */ a$1("p", { children: text }, text)) })] }, label))
	});
}
/** Before anything is judged: what the service states, in the place of the verdict. */
function NotChecked({ judged }) {
	return /* @__PURE__ */ a$1("section", {
		class: "ruling unjudged",
		children: [
			/* @__PURE__ */ a$1("p", {
				class: "stamp",
				children: "Not checked yet"
			}),
			/* @__PURE__ */ a$1("p", {
				class: "sentence",
				children: statedSentence(judged.trade, judged.decision)
			}),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: "This page judges the report again in your browser."
			}),
			/* @__PURE__ */ a$1("noscript", { children: /* @__PURE__ */ a$1("p", { children: "Checking needs JavaScript. What follows is the report as this service stored it; nothing here has checked it." }) })
		]
	});
}
// web/report/Checked.tsx
/** A document, what the reader trusts, and what came of judging the one by the other. */
/** A published report: what the service says of it, and then what came of judging it in this browser. */
function Published({ path, stored, judge, get, save }) {
	const [text, setText] = d(null);
	const [isLost, setLost] = d(false);
	const service = w(() => ({
		statement: stored.service,
		get
	}), [stored, get]);
	A(() => {
		const lost = () => setLost(true);
		get(path).then((answer) => answer === null ? lost() : setText(answer), lost);
	}, []);
	return /* @__PURE__ */ a$1($$1, { children: [isLost ? /* @__PURE__ */ a$1("p", {
		class: "fault",
		role: "alert",
		children: "The report could not be fetched from this service. Reload the page to try again."
	}) : null, /* @__PURE__ */ a$1(Checked, {
		input: text,
		judge,
		known: [],
		service,
		stored,
		save
	})] });
}
function Checked({ input, judge, known, service, stored = null, save }) {
	const [reader, setReader] = d({});
	const [isServiceAsked, setServiceAsked] = d(service !== null);
	const { outcome, isBusy, run } = useOutcome({
		input,
		judge,
		known,
		reader,
		service: isServiceAsked ? service : null
	});
	const answer = outcome?.answer ?? null;
	const view = answer?.kind === "judged" ? answer.view : null;
	const isWaiting = outcome === null && stored === null;
	const text = w(() => textOf(input), [input]);
	const judged = view === null ? stored?.judged ?? null : view.judged;
	return /* @__PURE__ */ a$1("div", {
		class: "checked",
		"data-run": isBusy ? "busy" : run,
		"aria-busy": isBusy,
		children: [
			/* @__PURE__ */ a$1("p", {
				class: "hidden",
				role: "status",
				children: isBusy ? "Checking…" : view?.verdict ?? ""
			}),
			isWaiting ? /* @__PURE__ */ a$1("p", {
				class: "soft waiting",
				children: "Checking…"
			}) : null,
			outcome?.isAway ? /* @__PURE__ */ a$1("p", {
				class: "fault",
				children: "This service did not answer, so nothing of it was used."
			}) : null,
			outcome === null && stored !== null ? /* @__PURE__ */ a$1(NotChecked, { judged: stored.judged }) : null,
			outcome === null ? null : /* @__PURE__ */ a$1(VerdictOrFault, { outcome }),
			isWaiting ? null : /* @__PURE__ */ a$1("div", {
				class: "trust",
				children: [service === null ? null : /* @__PURE__ */ a$1("label", {
					class: "switch",
					children: [/* @__PURE__ */ a$1("input", {
						type: "checkbox",
						checked: isServiceAsked,
						onChange: (event) => setServiceAsked(event.currentTarget.checked)
					}), /* @__PURE__ */ a$1("span", { children: "Also ask this service for its guard, keys, registry and log key" })]
				}), /* @__PURE__ */ a$1(TrustFields, {
					reader,
					onChange: setReader
				})]
			}),
			view === null && judged === null ? null : /* @__PURE__ */ a$1(Report, {
				view,
				judged,
				stored
			}),
			text === null || isWaiting ? null : /* @__PURE__ */ a$1(Raw, {
				text,
				save: () => save("report.json", text)
			})
		]
	});
}
/** null: there is none, or it is too large to be read. */
function textOf(input) {
	if (input === null || typeof input === "string") return input;
	return input instanceof ArrayBuffer ? new TextDecoder().decode(input) : null;
}
var LOST = {
	slow: "This took more than a minute and was stopped. A report takes less than a second.",
	failed: "The check could not be carried out in this browser."
};
function VerdictOrFault({ outcome: { answer, trusted, restsOnService } }) {
	if (answer.kind === "judged") return /* @__PURE__ */ a$1(Verdict, {
		view: answer.view,
		trusted,
		restsOnService
	});
	return /* @__PURE__ */ a$1("p", {
		class: "fault",
		role: "alert",
		children: answer.kind === "fault" ? `${FIELDS[answer.field].label}: ${answer.message}.` : LOST[answer.why]
	});
}
/** Judges again whenever what is asked changes; an answer to an older question is dropped. */
function useOutcome({ input, judge, known, reader, service }) {
	const [outcome, setOutcome] = d(null);
	const [isBusy, setBusy] = d(false);
	const run = T(0);
	A(() => {
		if (input === null || judge === null) return;
		const mine = ++run.current;
		setBusy(true);
		judgeWith(judge, {
			input,
			reader,
			known
		}, service).then((next) => {
			if (mine !== run.current || next === null) return;
			setOutcome(next);
			setBusy(false);
		});
	}, [
		input,
		judge,
		reader,
		service
	]);
	return {
		outcome,
		isBusy,
		run: run.current
	};
}
/** More of a document than this makes a page slow, and nobody reads it. */
var SHOWN_LENGTH = 2e5;
/** @param save hands it over as a file */
function Raw({ text, save }) {
	const all = grouped(String(text.length));
	return /* @__PURE__ */ a$1(Folded, {
		id: "raw",
		title: "The document",
		hint: "As JSON, as it was judged.",
		children: [/* @__PURE__ */ a$1("p", { children: [
			/* @__PURE__ */ a$1("button", {
				type: "button",
				onClick: save,
				children: "Save it as a file"
			}),
			" ",
			text.length > SHOWN_LENGTH ? `The first ${grouped(String(SHOWN_LENGTH))} of ${all} characters.` : null
		] }), /* @__PURE__ */ a$1("pre", {
			tabIndex: 0,
			children: text.slice(0, SHOWN_LENGTH)
		})]
	});
}
// web/pages/Report.tsx
/** /reports/<evidenceHash>: a published report. The service writes it down as it is stored; the page judges it. */
var MISSING = "No report is published under this hash";
function reportContent({ hash, stored }) {
	if (stored === null) return {
		title: MISSING,
		inEnglish: true,
		main: /* @__PURE__ */ a$1(Missing, {})
	};
	const path = `/evidence/${hash}`;
	return {
		title: `Report ${hash.slice(0, 10)}…`,
		inEnglish: true,
		islands: ["report.tsx"],
		source: path,
		main: /* @__PURE__ */ a$1($$1, { children: [
			/* @__PURE__ */ a$1("h1", { children: "Report" }),
			/* @__PURE__ */ a$1("p", {
				class: "mono soft hash",
				children: hash
			}),
			/* @__PURE__ */ a$1(Island, {
				name: "report",
				props: {
					path,
					stored
				},
				children: /* @__PURE__ */ a$1(Published, {
					path,
					stored,
					judge: null,
					get: async () => null,
					save: () => {}
				})
			}),
			/* @__PURE__ */ a$1("p", { children: /* @__PURE__ */ a$1("a", {
				href: path,
				download: `report-${hash.slice(0, 10)}.json`,
				children: "The report itself, as a file"
			}) })
		] })
	};
}
function Missing() {
	return /* @__PURE__ */ a$1("div", {
		class: "sheet",
		children: [
			/* @__PURE__ */ a$1("h1", { children: MISSING }),
			/* @__PURE__ */ a$1("p", { children: "A report is published once the guard has executed its trade and the block is final. Other reports belong to the agents that requested them. You can check any report that you have." }),
			/* @__PURE__ */ a$1("p", { children: /* @__PURE__ */ a$1(PageLink, {
				to: "/verify",
				children: "Verify a report that you have"
			}) })
		]
	});
}
// web/sign/faults.ts
/** What keeps a reader from signing, in the page's words. */
var FAULTS = {
	badTradeLink: "This link names no trade. Open it exactly as your agent gave it to you.",
	otherTradeGuard: "This link names the guard {guard} on chain {chainId}, which is not this service's. Do not sign.",
	linkUnknown: "This link opens nothing: it is not complete, or its time has been over for long. Ask your agent to prepare the trade again.",
	tradeOver: "The time of this trade is over, so nothing is asked of your wallet. Ask your agent to prepare it again.",
	serviceAway: "The trade could not be fetched from this service. Reload the page to try again.",
	notJudged: "The trade could not be judged in this browser, so nothing is asked of your wallet.",
	wrongChain: "Your wallet is on chain {is}. Switch it to chain {wanted} and try again.",
	noCode: "On your wallet's chain there is no contract at {address}. Do not sign here.",
	paused: "The guard is paused: it carries out no trade at present.",
	otherSigner: "The guard names another signer now. Reload the page.",
	nonceUsed: "The guard has carried this trade out already, or its owner revoked it. Nothing is asked of your wallet.",
	wrongAccount: "This trade is of the account {owner}. Choose that account in your wallet and connect it again.",
	otherAccount: "Your wallet no longer offers {account}. Connect it again.",
	refused: "You refused in your wallet. Nothing was sent.",
	walletFailed: "Your wallet says: {message}",
	badAnswer: "Your wallet's answer to {method} is not one that this page can read.",
	wouldFail: "The transaction would fail, so your wallet was not asked. {message}",
	reverted: "The transaction {hash} failed.",
	notMined: "The transaction {hash} is not mined yet. Look for it in your wallet."
};
var SignFault = class extends Error {
	code;
	constructor(code, gaps = {}) {
		super(filled(FAULTS[code], gaps));
		this.code = code;
	}
};
/** The text of any thrown error. */
var faultText = (error) => error instanceof SignFault ? error.message : "This page failed. Nothing more was sent; reload it.";
// web/browser.ts
/** @throws TypeError where the service cannot be reached */
async function send(path, init) {
	const response = await fetch(path, {
		...init,
		credentials: "omit",
		cache: "no-store"
	});
	return {
		status: response.status,
		text: await response.text()
	};
}
/** Calls back after so many milliseconds. @returns calls it off */
function after(ms, then) {
	const timer = setTimeout(then, ms);
	return () => clearTimeout(timer);
}
/** Hands a text to the reader as a file, without any server. */
function saveFile(name, text, type = "application/json") {
	const address = URL.createObjectURL(new Blob([text], { type }));
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
	after(1e4, () => URL.revokeObjectURL(address));
}
// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
	const numericValues = Object.values(entries).filter((v) => typeof v === "number");
	return Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
}
function joinValues(array, separator = "|") {
	return array.map((val) => stringifyPrimitive(val)).join(separator);
}
function jsonStringifyReplacer(_, value) {
	if (typeof value === "bigint") return value.toString();
	return value;
}
var Cached = class {
	constructor(getter) {
		this._getter = getter;
		this._value = void 0;
	}
	get value() {
		const getter = this._getter;
		if (getter !== void 0) {
			this._value = getter();
			this._getter = void 0;
		}
		return this._value;
	}
};
function cached(getter) {
	return new Cached(getter);
}
function nullish(input) {
	return input === null || input === void 0;
}
function cleanRegex(source) {
	const start = source.startsWith("^") ? 1 : 0;
	const end = source.endsWith("$") ? source.length - 1 : source.length;
	return source.slice(start, end);
}
function floatSafeRemainder(val, step) {
	const ratio = val / step;
	const roundedRatio = Math.round(ratio);
	const tolerance = 4 * Number.EPSILON * Math.max(Math.abs(ratio), 1);
	if (Math.abs(ratio - roundedRatio) < tolerance) return 0;
	return ratio - roundedRatio;
}
function assignProp(target, prop, value) {
	Object.defineProperty(target, prop, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/**
* Whichever object a def's `shape` currently answers from: the one the caller passed until the first read, the frozen copy after it.
*
* Its keys and descriptors read without invoking anything, which is what lets a discriminated union check its discriminator, and the cycle walk read a shape, without resolving a getter that references the schema being constructed. A def that answers `shape` from an accessor of its own has none.
*/
function rawShape(def) {
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	return desc?.get ? desc.get.raw : desc?.value;
}
function sourceShape(schema) {
	return rawShape(schema._zod.def) ?? schema._zod.def.shape;
}
function deferProp(target, key, getter) {
	Object.defineProperty(target, key, {
		get() {
			const value = getter();
			assignProp(this, key, value);
			return value;
		},
		enumerable: true,
		configurable: true
	});
}
function putProp(target, key, value) {
	if (key in target) assignProp(target, key, value);
	else target[key] = value;
}
/**
* Copies `keys` of `source`'s shape onto `target`, each value passed through `wrap`.
*
* A key the source has resolved is copied through now, so the derived shape states it outright and nothing has to resolve it to learn what it holds. A key the source still defers stays deferred, and reads back through the source's own `shape`, so it resolves once and both shapes get that one schema.
*/
function mirrorShape(target, source, keys, wrap) {
	const raw = sourceShape(source);
	for (const key of keys) {
		const desc = Object.getOwnPropertyDescriptor(raw, key);
		if (!desc.enumerable) continue;
		if (desc.get) deferProp(target, key, () => {
			const value = source._zod.def.shape[key];
			return wrap ? wrap(value, key) : value;
		});
		else putProp(target, key, wrap ? wrap(desc.value, key) : desc.value);
	}
}
function mirrorProps(target, source) {
	for (const key of Reflect.ownKeys(source)) {
		const desc = Object.getOwnPropertyDescriptor(source, key);
		if (!desc.enumerable) continue;
		if (desc.get) deferProp(target, key, () => source[key]);
		else putProp(target, key, desc.value);
	}
}
function mergeDefs(...defs) {
	const mergedDescriptors = {};
	for (const def of defs) {
		const descriptors = Object.getOwnPropertyDescriptors(def);
		Object.assign(mergedDescriptors, descriptors);
	}
	return Object.defineProperties({}, mergedDescriptors);
}
function esc(str) {
	return JSON.stringify(str);
}
function slugify(input) {
	return input.toLowerCase().trim().replace(/[^\w\s-]/g, "").replace(/[\s_-]+/g, "-").replace(/^-+|-+$/g, "");
}
var captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {};
function isObject(data) {
	return typeof data === "object" && data !== null && !Array.isArray(data);
}
var allowsEval = /* @__PURE__*/ cached(() => {
	if (globalConfig.jitless) return false;
	if (typeof navigator !== "undefined" && navigator?.userAgent?.includes("Cloudflare")) return false;
	try {
		new Function("");
		return true;
	} catch (_) {
		return false;
	}
});
function isPlainObject(o) {
	if (isObject(o) === false) return false;
	const ctor = o.constructor;
	if (ctor === void 0) return true;
	if (typeof ctor !== "function") return true;
	const prot = ctor.prototype;
	if (isObject(prot) === false) return false;
	if (Object.prototype.hasOwnProperty.call(prot, "isPrototypeOf") === false) return false;
	return true;
}
function shallowClone(o) {
	if (isPlainObject(o)) return { ...o };
	if (Array.isArray(o)) return [...o];
	if (o instanceof Map) return new Map(o);
	if (o instanceof Set) return new Set(o);
	return o;
}
var propertyKeyTypes = /* @__PURE__*/ new Set([
	"string",
	"number",
	"symbol"
]);
function escapeRegex(str) {
	return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
	const cl = new inst._zod.constr(def ?? inst._zod.def);
	if (!def || params?.parent) cl._zod.parent = inst;
	return cl;
}
function normalizeParams(_params) {
	const params = _params;
	if (!params) return {};
	if (typeof params === "string") return { error: () => params };
	if (params?.message !== void 0) {
		if (params?.error !== void 0) throw new Error("Cannot specify both `message` and `error` params");
		params.error = params.message;
	}
	delete params.message;
	if (typeof params.error === "string") return {
		...params,
		error: () => params.error
	};
	return params;
}
function stringifyPrimitive(value) {
	if (typeof value === "bigint") return value.toString() + "n";
	if (typeof value === "string") return `"${value}"`;
	return `${value}`;
}
function optionalKeys(shape) {
	return Object.keys(shape).filter((k) => {
		return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
	});
}
var NUMBER_FORMAT_RANGES = /*@__PURE__*/ (() => ({
	safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	int32: [-2147483648, 2147483647],
	uint32: [0, 4294967295],
	float32: [-34028234663852886e22, 34028234663852886e22],
	float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
}))();
var BIGINT_FORMAT_RANGES = {
	int64: [/* @__PURE__*/ BigInt("-9223372036854775808"), /* @__PURE__*/ BigInt("9223372036854775807")],
	uint64: [/* @__PURE__*/ BigInt(0), /* @__PURE__*/ BigInt("18446744073709551615")]
};
function pick(schema, mask) {
	const currDef = schema._zod.def;
	const checks = currDef.checks;
	if (checks && checks.length > 0) throw new Error(".pick() cannot be used on object schemas containing refinements");
	const newShape = {};
	mirrorShape(newShape, schema, maskedKeys(schema, mask));
	return clone(schema, mergeDefs(currDef, {
		shape: newShape,
		checks: []
	}));
}
function maskedKeys(schema, mask) {
	const raw = sourceShape(schema);
	const keys = [];
	for (const key of Reflect.ownKeys(mask)) {
		if (!Object.getOwnPropertyDescriptor(raw, key)?.enumerable) throw new Error(`Unrecognized key: "${String(key)}"`);
		if (mask[key]) keys.push(key);
	}
	return keys;
}
function omit(schema, mask) {
	const currDef = schema._zod.def;
	const checks = currDef.checks;
	if (checks && checks.length > 0) throw new Error(".omit() cannot be used on object schemas containing refinements");
	const omitted = new Set(maskedKeys(schema, mask));
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)).filter((key) => !omitted.has(key)));
	return clone(schema, mergeDefs(currDef, {
		shape: newShape,
		checks: []
	}));
}
function extend(schema, shape) {
	if (!isPlainObject(shape)) throw new Error("Invalid input to extend: expected a plain object");
	const checks = schema._zod.def.checks;
	if (checks && checks.length > 0) {
		const existingShape = sourceShape(schema);
		for (const key of Reflect.ownKeys(shape)) if (Object.getOwnPropertyDescriptor(existingShape, key) !== void 0) throw new Error("Cannot overwrite keys on object schemas containing refinements. Use `.safeExtend()` instead.");
	}
	return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function extended(schema, shape) {
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)));
	mirrorProps(newShape, shape);
	return newShape;
}
function safeExtend(schema, shape) {
	if (!isPlainObject(shape)) throw new Error("Invalid input to safeExtend: expected a plain object");
	return clone(schema, mergeDefs(schema._zod.def, { shape: extended(schema, shape) }));
}
function merge(a, b) {
	if (!b?._zod?.def) throw new Error("Invalid input to merge: expected an object schema. To merge a plain shape, use `.extend()`.");
	if (a._zod.def.checks?.length) throw new Error(".merge() cannot be used on object schemas containing refinements. Use .safeExtend() instead.");
	const newShape = {};
	mirrorShape(newShape, a, Reflect.ownKeys(sourceShape(a)));
	mirrorShape(newShape, b, Reflect.ownKeys(sourceShape(b)));
	return clone(a, mergeDefs(a._zod.def, {
		shape: newShape,
		get catchall() {
			return b._zod.def.catchall;
		},
		checks: b._zod.def.checks ?? []
	}));
}
function partial(Class, schema, mask, name = "partial") {
	const checks = schema._zod.def.checks;
	if (checks && checks.length > 0) throw new Error(`.${name}() cannot be used on object schemas containing refinements`);
	const selected = mask ? new Set(maskedKeys(schema, mask)) : void 0;
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), Class && ((value, key) => selected && !selected.has(key) ? value : new Class({
		type: "optional",
		innerType: value
	})));
	return clone(schema, mergeDefs(schema._zod.def, {
		shape: newShape,
		checks: []
	}));
}
function required(Class, schema, mask) {
	const selected = mask ? new Set(maskedKeys(schema, mask)) : void 0;
	const newShape = {};
	mirrorShape(newShape, schema, Reflect.ownKeys(sourceShape(schema)), (value, key) => selected && !selected.has(key) ? value : new Class({
		type: "nonoptional",
		innerType: value
	}));
	return clone(schema, mergeDefs(schema._zod.def, { shape: newShape }));
}
function aborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue !== true) return true;
	return false;
}
function explicitlyAborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue === false) return true;
	return false;
}
function prefixIssues(path, issues) {
	return issues.map((iss) => {
		var _a;
		(_a = iss).path ?? (_a.path = []);
		iss.path.unshift(path);
		return iss;
	});
}
function unwrapMessage(message) {
	return typeof message === "string" ? message : message?.message;
}
/** The leading size checks of `defChecks` that set an upper bound, each paired with it. */
function sizeCaps(defChecks) {
	const caps = [];
	for (const ch of defChecks ?? []) {
		const d = ch._zod.def;
		if (!/_(length|size)$|_equals$/.test(d.check)) break;
		const max = d.maximum ?? d.length ?? d.size;
		if (max >= 0) caps.push([max, ch]);
	}
	return caps;
}
function attachSchema(issues, start, inst) {
	var _a;
	for (let i = start; i < issues.length; i++) (_a = issues[i]).schema ?? (_a.schema = inst);
}
function finalizeIssue(iss, ctx, config) {
	var _a;
	const traits = iss.inst?._zod?.traits;
	if (traits?.has("$ZodType")) {
		if (traits.has("$ZodCheck")) (_a = iss).schema ?? (_a.schema = iss.inst);
		else iss.schema = iss.inst;
	}
	const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
	const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config.customError?.(iss)) ?? unwrapMessage(config.localeError?.(iss)) ?? "Invalid input";
	const full = {};
	for (const k of Object.keys(iss)) {
		if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__") continue;
		full[k] = iss[k];
	}
	full.path ?? (full.path = []);
	full.message = message;
	if (ctx?.reportInput) full.input = iss.input;
	return full;
}
var highSurrogate = /[\uD800-\uDBFF]/;
function codePointLength(str) {
	const units = str.length;
	if (!highSurrogate.test(str)) return units;
	let count = units;
	for (let i = 0; i < units - 1; i++) if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
		count--;
		i++;
	}
	return count;
}
function getLengthableOrigin(input) {
	if (Array.isArray(input)) return "array";
	if (typeof input === "string") return "string";
	return "unknown";
}
function parsedType(data) {
	const t = typeof data;
	switch (t) {
		case "number": return Number.isNaN(data) ? "nan" : "number";
		case "object": {
			if (data === null) return "null";
			if (Array.isArray(data)) return "array";
			const obj = data;
			if (obj && Object.getPrototypeOf(obj) !== Object.prototype && "constructor" in obj && obj.constructor) return obj.constructor.name;
		}
	}
	return t;
}
function issue(...args) {
	const [iss, input, inst] = args;
	if (typeof iss === "string") return {
		message: iss,
		code: "custom",
		input,
		inst
	};
	return { ...iss };
}
/**
* Installs a trait's members on its prototype. Each value builds that member for the instance on first read; the built value shadows the accessor as an own property, so a detached `const { parse } = schema` keeps working.
*
* Call this from a `proto` initializer, which runs once per prototype — never per instance.
*/
function members(proto, table) {
	for (const key in table) {
		const desc = Object.getOwnPropertyDescriptor(table, key);
		if (desc.get) Object.defineProperty(proto, key, {
			...desc,
			enumerable: false
		});
		else defineBound(proto, key, desc.value);
	}
}
/** Shadows a prototype member with an own value, so a getter that builds from the instance runs once. */
function own(inst, key, value, enumerable = true) {
	Object.defineProperty(inst, key, {
		configurable: true,
		writable: true,
		enumerable,
		value
	});
	return value;
}
/** Like {@link own}, for a member that was never an own data property and has to stay out of `Object.keys`. */
function hide(inst, key, value) {
	return own(inst, key, value, false);
}
/** Adds members a table derives from the instance: each builds on first read and shadows as own data, and assignment shadows the same way, as when these were own properties. */
/* @__NO_SIDE_EFFECTS__ */
function derived(computes, table) {
	for (const key in computes) {
		const compute = computes[key];
		Object.defineProperty(table, key, {
			configurable: true,
			enumerable: true,
			get() {
				return own(this, key, compute(this));
			},
			set(value) {
				own(this, key, value);
			}
		});
	}
	return table;
}
function defineBound(proto, key, fn) {
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			return this == null ? fn : own(this, key, fn.bind(this));
		},
		set(value) {
			own(this, key, value);
		}
	});
}
/** Returns the prototype to install on, or `undefined` if this group is already installed on it. */
function claim(inst, sentinel) {
	const proto = Object.getPrototypeOf(inst);
	return sentinel in proto ? void 0 : proto;
}
var installing;
var broke = false;
var breaker = {
	configurable: true,
	get() {
		broke = true;
	}
};
/**
* Installs a lazily-derived internal on the `_zod` prototype of `inst`'s
* constructor, computed from the internals object itself and cached there on
* first read. One accessor per constructor rather than one per instance.
*/
function defineLazyInternal(inst, key, compute) {
	const proto = Object.getPrototypeOf(inst._zod);
	if (key in proto && installing !== inst._zod) {
		installing = void 0;
		return;
	}
	installing = inst._zod;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			Object.defineProperty(this, key, breaker);
			const outer = broke;
			broke = false;
			try {
				const value = compute(this);
				if (broke) delete this[key];
				else Object.defineProperty(this, key, {
					configurable: true,
					writable: true,
					value
				});
				broke = broke || outer;
				return value;
			} catch (err) {
				delete this[key];
				broke = broke || outer;
				throw err;
			}
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				value
			});
		}
	});
}
/**
* Installs `key` on `inst`'s prototype, computed by `make` on first read and cached there as an own
* data property. One accessor per constructor rather than one per instance, because an own accessor
* puts every instance after the first into v8 dictionary mode. The key doubles as the sentinel.
*/
function installLazyProp(inst, key, make, enumerable) {
	const proto = claim(inst, key);
	if (!proto) return;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			const desc = {
				configurable: true,
				writable: true,
				enumerable,
				value: void 0
			};
			Object.defineProperty(this, key, desc);
			desc.value = make(this);
			Object.defineProperty(this, key, desc);
			return desc.value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				enumerable,
				value
			});
		}
	});
}
/** Marks the thunk `_catch` synthesises for a constant catch value. `Function.length` cannot tell that thunk from a user callback — rest and defaulted parameters both report arity 0 — and a user callback reads `ctx.error`, whose issues only finalize correctly against the caller's per-parse error map. Provenance can say what arity cannot. A plain string key rather than `Symbol.for`, whose call at module scope no bundler can prove pure — the same shape that anchored `urlCanParse` into every build. */
var CONSTANT_CATCH = "~constantCatch";
/** Wraps a constant catch value in a thunk tagged with {@link CONSTANT_CATCH}. */
function constantCatch(value) {
	const fn = () => value;
	fn[CONSTANT_CATCH] = true;
	return fn;
}
// node_modules/zod/v4/core/core.js
var _a$1;
var _zodDesc = {
	value: void 0,
	enumerable: false
};
var _E = "captureStackTrace" in Error ? Error : null;
function newError(Definition) {
	const E = _E;
	if (E) {
		const saved = E.stackTraceLimit;
		if (typeof saved === "number") {
			try {
				E.stackTraceLimit = 0;
			} catch {
				_E = null;
				return new Definition();
			}
			try {
				return new Definition();
			} finally {
				E.stackTraceLimit = saved;
			}
		}
	}
	return new Definition();
}
/* @__NO_SIDE_EFFECTS__ */
function $constructor(name, initializer, proto, params) {
	const zodProto = {};
	function Internals(def) {
		this.def = def;
		this.constr = _;
		this.traits = /* @__PURE__ */ new Set();
	}
	Internals.prototype = zodProto;
	const protoMembers = proto;
	const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
	function init(inst, def) {
		if (!inst._zod) {
			_zodDesc.value = new Internals(def);
			try {
				Object.defineProperty(inst, "_zod", _zodDesc);
			} finally {
				_zodDesc.value = void 0;
			}
		} else if (inst._zod.traits.has(name)) return;
		inst._zod.traits.add(name);
		initializer(inst, def);
		if (initialized) {
			const own = Object.getPrototypeOf(inst);
			const ctorProto = inst._zod.constr.prototype;
			let up = own;
			while (up && up !== ctorProto) up = Object.getPrototypeOf(up);
			const target = up ?? own;
			if (!initialized.has(target)) {
				initialized.add(target);
				members(target, protoMembers);
			}
		}
		const proto = _.prototype;
		for (const k in proto) {
			if (!Object.prototype.hasOwnProperty.call(proto, k)) continue;
			if (!(k in inst)) inst[k] = proto[k].bind(inst);
		}
	}
	const Parent = params?.Parent ?? Object;
	class Definition extends Parent {}
	Object.defineProperty(Definition, "name", { value: name });
	function _(def) {
		const inst = params?.Parent ? newError(Definition) : this;
		init(inst, def);
		const deferred = inst._zod.deferred;
		if (deferred) {
			for (const fn of deferred) fn();
			inst._zod.deferred = void 0;
		}
		const pp = globalThis.__zod_globalConfig?.postProcessor;
		if (pp) pp(inst);
		return inst;
	}
	Object.defineProperty(_, "init", { value: init });
	Object.defineProperty(_, Symbol.hasInstance, { value: (inst) => {
		if (params?.Parent && inst instanceof params.Parent) return true;
		return inst?._zod?.traits?.has(name);
	} });
	Object.defineProperty(_, "name", { value: name });
	return _;
}
var $ZodAsyncError = class extends Error {
	constructor() {
		super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
	}
};
var $ZodEncodeError = class extends Error {
	constructor(name) {
		super(`Encountered unidirectional transform during encode: ${name}`);
		this.name = "ZodEncodeError";
	}
};
(_a$1 = globalThis).__zod_globalConfig ?? (_a$1.__zod_globalConfig = {});
var globalConfig = globalThis.__zod_globalConfig;
function config(newConfig) {
	if (newConfig) Object.assign(globalConfig, newConfig);
	return globalConfig;
}
// node_modules/zod/v4/core/errors.js
function _getMessage() {
	const internals = this._zod;
	internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
	return internals.message;
}
function _setMessage(value) {
	this._zod.message = value;
}
var _messageDesc = {
	get: _getMessage,
	set: _setMessage,
	enumerable: true,
	configurable: true
};
var _issuesDesc = {
	value: void 0,
	enumerable: false
};
var _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
var initializer$1 = (inst, def) => {
	inst.name = "$ZodError";
	_issuesDesc.value = def;
	Object.defineProperty(inst, "issues", _issuesDesc);
	_issuesDesc.value = void 0;
	Object.defineProperty(inst, "message", _messageDesc);
	const proto = Object.getPrototypeOf(inst);
	if (!_installedToString.has(proto)) {
		_installedToString.add(proto);
		Object.defineProperty(proto, "toString", {
			configurable: true,
			enumerable: false,
			get() {
				const value = () => this.message;
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
				return value;
			},
			set(value) {
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
			}
		});
	}
};
var $ZodError = /* @__PURE__ */ $constructor("$ZodError", initializer$1);
/** Get-or-create `obj[key]` as an own data property. A path segment naming an inherited member
* ("toString", "constructor") would otherwise read through to the prototype, and assigning
* "__proto__" would hit the setter instead of creating a key. */
function node(obj, key, make) {
	if (!Object.prototype.hasOwnProperty.call(obj, key)) {
		if (key === "__proto__") Object.defineProperty(obj, key, {
			value: make(),
			writable: true,
			enumerable: true,
			configurable: true
		});
		else obj[key] = make();
	}
	return obj[key];
}
function flattenError(error, mapper = (issue) => issue.message) {
	const fieldErrors = {};
	const formErrors = [];
	for (const sub of error.issues) if (sub.path.length > 0) node(fieldErrors, sub.path[0], () => []).push(mapper(sub));
	else formErrors.push(mapper(sub));
	return {
		formErrors,
		fieldErrors
	};
}
function formatError(error, mapper = (issue) => issue.message) {
	const fieldErrors = { _errors: [] };
	const processError = (error, path = []) => {
		for (const issue of error.issues) if (issue.code === "invalid_union" && issue.errors.length) issue.errors.map((issues) => processError({ issues }, [...path, ...issue.path]));
		else if (issue.code === "invalid_key") processError({ issues: issue.issues }, [...path, ...issue.path]);
		else if (issue.code === "invalid_element") processError({ issues: issue.issues }, [...path, ...issue.path]);
		else {
			const fullpath = [...path, ...issue.path];
			if (fullpath.length === 0) fieldErrors._errors.push(mapper(issue));
			else {
				let curr = fieldErrors;
				let i = 0;
				while (i < fullpath.length) {
					const el = fullpath[i];
					const terminal = i === fullpath.length - 1;
					if (el === "_errors") {
						if (terminal) curr._errors.push(mapper(issue));
						i++;
						continue;
					}
					if (!Object.prototype.hasOwnProperty.call(curr, el)) Object.defineProperty(curr, el, {
						value: { _errors: [] },
						enumerable: true,
						writable: true,
						configurable: true
					});
					const node = curr[el];
					if (terminal) node._errors.push(mapper(issue));
					curr = node;
					i++;
				}
			}
		}
	};
	processError(error);
	return fieldErrors;
}
// node_modules/zod/v4/core/parse.js
function finalizeParams(callee, params) {
	return {
		callee: params?.callee ?? callee,
		Err: params?.Err
	};
}
var _parse = (_Err) => {
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: false
		} : { async: false };
		const result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) throw new $ZodAsyncError();
		if (result.issues.length) {
			const e = new ((_params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, _params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var _parseAsync = (_Err) => {
	const fn = async (schema, value, _ctx, params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: true
		} : { async: true };
		let result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) result = await result;
		if (result.issues.length) {
			const e = new ((params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var _safeParse = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: false
	} : { async: false };
	const result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
function failure(Err, issues, ctx) {
	let error;
	return {
		success: false,
		get error() {
			if (!error) {
				error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
				issues = void 0;
				ctx = void 0;
			}
			return error;
		},
		set error(e) {
			error = e;
			issues = void 0;
			ctx = void 0;
		}
	};
}
var _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true
	} : { async: true };
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
var COMPILE_INVALID = /* @__PURE__ */ Symbol.for("zod.compile.invalid");
var COMPILE_FALLBACK = /* @__PURE__ */ Symbol.for("zod.compile.fallback");
var validate = ((schema, value, _ctx) => {
	const validator = schema._zod.bag.validator;
	if (validator !== void 0) {
		if (validator(value) !== COMPILE_INVALID) return true;
		if (validator.definite === true && _ctx === void 0) return false;
	}
	return validateFallback(schema, value, _ctx);
});
function validateFallback(schema, value, _ctx) {
	const ctx = _ctx ? {
		..._ctx,
		async: false,
		abortEarly: true
	} : {
		async: false,
		abortEarly: true
	};
	const fallbackRun = schema._zod.bag.fallbackRun;
	let result;
	if (fallbackRun) {
		ctx[COMPILE_FALLBACK] = true;
		result = fallbackRun({
			value,
			issues: []
		}, ctx);
	} else result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length === 0;
}
var validateAsync$1 = async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true,
		abortEarly: true
	} : {
		async: true,
		abortEarly: true
	};
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length === 0;
};
var _encode = (_Err) => {
	const parse = _parse(_Err);
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			direction: "backward"
		} : { direction: "backward" };
		return parse(schema, value, ctx, finalizeParams(fn, _params));
	};
	return fn;
};
var _decode = (_Err) => {
	const parse = _parse(_Err);
	const fn = (schema, value, _ctx, _params) => {
		return parse(schema, value, _ctx, finalizeParams(fn, _params));
	};
	return fn;
};
var _encodeAsync = (_Err) => {
	const parseAsync = _parseAsync(_Err);
	const fn = async (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			direction: "backward"
		} : { direction: "backward" };
		return await parseAsync(schema, value, ctx, finalizeParams(fn, _params));
	};
	return fn;
};
var _decodeAsync = (_Err) => {
	const parseAsync = _parseAsync(_Err);
	const fn = async (schema, value, _ctx, _params) => {
		return await parseAsync(schema, value, _ctx, finalizeParams(fn, _params));
	};
	return fn;
};
var _safeEncode = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		direction: "backward"
	} : { direction: "backward" };
	return _safeParse(_Err)(schema, value, ctx);
};
var _safeDecode = (_Err) => (schema, value, _ctx) => {
	return _safeParse(_Err)(schema, value, _ctx);
};
var _safeEncodeAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		direction: "backward"
	} : { direction: "backward" };
	return _safeParseAsync(_Err)(schema, value, ctx);
};
var _safeDecodeAsync = (_Err) => async (schema, value, _ctx) => {
	return _safeParseAsync(_Err)(schema, value, _ctx);
};
// node_modules/zod/v4/core/regexes.js
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link cuid2} instead.
* See https://github.com/paralleldrive/cuid.
*/
var cuid = /^[cC][0-9a-z]{6,}$/;
var cuid2 = /^[0-9a-z]+$/;
var ulid = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/;
var xid = /^[0-9a-vA-V]{20}$/;
var ksuid = /^[A-Za-z0-9]{27}$/;
var nanoid = /^[a-zA-Z0-9_-]{21}$/;
function nanoidOfLength(length) {
	return new RegExp(`^[a-zA-Z0-9_-]{${length}}$`);
}
/** ISO 8601-1 duration regex. Does not support the 8601-2 extensions like negative durations or fractional/negative components. */
var duration = /^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$/;
/** A regex for any UUID-like identifier: 8-4-4-4-12 hex pattern */
var guid = /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/;
/** Returns a regex for validating an RFC 9562/4122 UUID.
*
* @param version Optionally specify a version 1-8. If no version is specified, all versions are supported. */
var uuid = (version) => {
	if (!version) return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
	return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
};
/** Practical email validation */
var email = /^(?:[A-Za-z0-9_'+\-]+\.)*[A-Za-z0-9_'+\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$/;
var _emoji$1 = `^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$`;
function emoji() {
	return new RegExp(_emoji$1, "u");
}
var ipv4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])$/;
var ipv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))$/;
var cidrv4 = /^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])\/([0-9]|[1-2][0-9]|3[0-2])$/;
var cidrv6 = /^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))\/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$/;
var base64 = /^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$/;
var base64url = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$/;
var httpProtocol = /^https?$/;
var e164 = /^\+[1-9]\d{6,14}$/;
var dateSource = `(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))`;
/** Anchors a pattern source. The interpolation lives here rather than at the call site because
* esbuild will not drop a `@__PURE__` call whose own argument interpolates a variable, but it
* will drop `anchor(dateSource)`. Keeping it inline pinned `date` into every bundle. */
function anchor(source) {
	return new RegExp(`^${source}$`);
}
var date = /*@__PURE__*/ anchor(dateSource);
function timeSource(args) {
	const hhmm = `(?:[01]\\d|2[0-3]):[0-5]\\d`;
	return typeof args.precision === "number" ? args.precision === -1 ? `${hhmm}` : args.precision === 0 ? `${hhmm}:[0-5]\\d` : `${hhmm}:[0-5]\\d\\.\\d{${args.precision}}` : args.seconds ? `${hhmm}:[0-5]\\d(?:\\.\\d+)?` : `${hhmm}(?::[0-5]\\d(?:\\.\\d+)?)?`;
}
function time(args) {
	return new RegExp(`^${timeSource(args)}$`);
}
function datetime(args) {
	const opts = ["Z"];
	if (args.offset) opts.push(`([+-](?:[01]\\d|2[0-3]):[0-5]\\d)`);
	const qualified = `${timeSource({
		precision: args.precision,
		seconds: true
	})}(?:${opts.join("|")})`;
	const timeRegex = args.local ? `${qualified}|${timeSource({ precision: args.precision })}` : qualified;
	return new RegExp(`^${dateSource}T(?:${timeRegex})$`);
}
var anyString = /^[\s\S]{0,}$/;
var number$1 = /^-?\d+(?:\.\d+)?$/;
var lowercase = /^[^A-Z]*$/;
var uppercase = /^[^a-z]*$/;
// node_modules/zod/v4/core/checks.js
var $ZodCheck = /*@__PURE__*/ $constructor("$ZodCheck", (inst, def) => {
	var _a;
	inst._zod ?? (inst._zod = {});
	inst._zod.def = def;
	(_a = inst._zod).onattach ?? (_a.onattach = []);
});
/** Default `when` for length-based checks: run only on non-nullish values with a `length`. */
var _whenHasLength = (payload) => {
	const val = payload.value;
	return !nullish(val) && val.length !== void 0;
};
var numericOriginMap = {
	number: "number",
	bigint: "bigint",
	object: "date"
};
var $ZodCheckLessThan = /*@__PURE__*/ $constructor("$ZodCheckLessThan", (inst, def) => {
	$ZodCheck.init(inst, def);
	const origin = numericOriginMap[typeof def.value];
	inst._zod.check = (payload) => {
		if (def.inclusive ? payload.value <= def.value : payload.value < def.value) return;
		payload.issues.push({
			origin: numericOriginMap[typeof payload.value] ?? origin,
			code: "too_big",
			maximum: typeof def.value === "object" ? def.value.getTime() : def.value,
			input: payload.value,
			inclusive: def.inclusive,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckGreaterThan = /*@__PURE__*/ $constructor("$ZodCheckGreaterThan", (inst, def) => {
	$ZodCheck.init(inst, def);
	const origin = numericOriginMap[typeof def.value];
	inst._zod.check = (payload) => {
		if (def.inclusive ? payload.value >= def.value : payload.value > def.value) return;
		payload.issues.push({
			origin: numericOriginMap[typeof payload.value] ?? origin,
			code: "too_small",
			minimum: typeof def.value === "object" ? def.value.getTime() : def.value,
			input: payload.value,
			inclusive: def.inclusive,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMultipleOf = /*@__PURE__*/ $constructor("$ZodCheckMultipleOf", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		if (typeof payload.value !== typeof def.value) throw new Error("Cannot mix number and bigint in multiple_of check.");
		if (typeof payload.value === "bigint" ? def.value !== BigInt(0) && payload.value % def.value === BigInt(0) : floatSafeRemainder(payload.value, def.value) === 0) return;
		payload.issues.push({
			origin: typeof payload.value,
			code: "not_multiple_of",
			divisor: def.value,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckNumberFormat = /*@__PURE__*/ $constructor("$ZodCheckNumberFormat", (inst, def) => {
	$ZodCheck.init(inst, def);
	def.format = def.format || "float64";
	const isInt = def.format?.includes("int");
	const origin = isInt ? "int" : "number";
	const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
	inst._zod.check = (payload) => {
		const input = payload.value;
		if (isInt) {
			if (!Number.isInteger(input)) {
				payload.issues.push({
					expected: origin,
					format: def.format,
					code: "invalid_type",
					continue: false,
					input,
					inst
				});
				return;
			}
			if (!Number.isSafeInteger(input)) {
				if (input > 0) payload.issues.push({
					input,
					code: "too_big",
					maximum: Number.MAX_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				else payload.issues.push({
					input,
					code: "too_small",
					minimum: Number.MIN_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				return;
			}
		}
		if (input < minimum) payload.issues.push({
			origin: "number",
			input,
			code: "too_small",
			minimum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
		if (input > maximum) payload.issues.push({
			origin: "number",
			input,
			code: "too_big",
			maximum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMaxLength = /*@__PURE__*/ $constructor("$ZodCheckMaxLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units > def.maximum ? codePointLength(input) : units) <= def.maximum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_big",
			maximum: def.maximum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMinLength = /*@__PURE__*/ $constructor("$ZodCheckMinLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units) >= def.minimum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_small",
			minimum: def.minimum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckLengthEquals = /*@__PURE__*/ $constructor("$ZodCheckLengthEquals", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		const length = typeof input === "string" && units >= def.length && units <= def.length * 2 ? codePointLength(input) : units;
		if (length === def.length) return;
		const origin = getLengthableOrigin(input);
		const tooBig = length > def.length;
		payload.issues.push({
			origin,
			...tooBig ? {
				code: "too_big",
				maximum: def.length
			} : {
				code: "too_small",
				minimum: def.length
			},
			inclusive: true,
			exact: true,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckStringFormat = /*@__PURE__*/ $constructor("$ZodCheckStringFormat", (inst, def) => {
	var _a, _b;
	$ZodCheck.init(inst, def);
	if (def.pattern) (_a = inst._zod).check ?? (_a.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: def.format,
			input: payload.value,
			...def.pattern ? { pattern: def.pattern.toString() } : {},
			inst,
			continue: !def.abort
		});
	});
	else (_b = inst._zod).check ?? (_b.check = () => {});
});
var $ZodCheckRegex = /*@__PURE__*/ $constructor("$ZodCheckRegex", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "regex",
			input: payload.value,
			pattern: def.pattern.toString(),
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckLowerCase = /*@__PURE__*/ $constructor("$ZodCheckLowerCase", (inst, def) => {
	def.pattern ?? (def.pattern = lowercase);
	$ZodCheckStringFormat.init(inst, def);
});
var $ZodCheckUpperCase = /*@__PURE__*/ $constructor("$ZodCheckUpperCase", (inst, def) => {
	def.pattern ?? (def.pattern = uppercase);
	$ZodCheckStringFormat.init(inst, def);
});
var $ZodCheckIncludes = /*@__PURE__*/ $constructor("$ZodCheckIncludes", (inst, def) => {
	$ZodCheck.init(inst, def);
	const escapedRegex = escapeRegex(def.includes);
	def.pattern = new RegExp(typeof def.position === "number" ? `^.{${def.position},}${escapedRegex}` : escapedRegex);
	inst._zod.check = (payload) => {
		if (payload.value.includes(def.includes, def.position)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "includes",
			includes: def.includes,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckStartsWith = /*@__PURE__*/ $constructor("$ZodCheckStartsWith", (inst, def) => {
	$ZodCheck.init(inst, def);
	const pattern = new RegExp(`^${escapeRegex(def.prefix)}.*`);
	def.pattern ?? (def.pattern = pattern);
	inst._zod.check = (payload) => {
		if (payload.value.startsWith(def.prefix)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "starts_with",
			prefix: def.prefix,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckEndsWith = /*@__PURE__*/ $constructor("$ZodCheckEndsWith", (inst, def) => {
	$ZodCheck.init(inst, def);
	const pattern = new RegExp(`.*${escapeRegex(def.suffix)}$`);
	def.pattern ?? (def.pattern = pattern);
	inst._zod.check = (payload) => {
		if (payload.value.endsWith(def.suffix)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "ends_with",
			suffix: def.suffix,
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckOverwrite = /*@__PURE__*/ $constructor("$ZodCheckOverwrite", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		payload.value = def.tx(payload.value);
	};
});
// node_modules/zod/v4/core/doc.js
var Doc = class {
	constructor(args = [], closed = {}) {
		this.content = [];
		this.indent = 0;
		this.args = args;
		this.closed = closed;
	}
	indented(fn) {
		this.indent += 1;
		try {
			fn(this);
		} finally {
			this.indent -= 1;
		}
	}
	write(arg) {
		if (typeof arg === "function") {
			arg(this, { execution: "sync" });
			arg(this, { execution: "async" });
			return;
		}
		const lines = arg.split("\n").filter((x) => x);
		const minIndent = Math.min(...lines.map((x) => x.length - x.trimStart().length));
		const dedented = lines.map((x) => x.slice(minIndent)).map((x) => " ".repeat(this.indent * 2) + x);
		for (const line of dedented) this.content.push(line);
	}
	compile() {
		const F = Function;
		const content = this?.content ?? [``];
		return new F(...Object.keys(this.closed), `return function (${this.args.join(", ")}) {\n${content.join("\n")}\n};`)(...Object.values(this.closed));
	}
};
// node_modules/zod/v4/core/versions.js
var version = {
	major: 4,
	minor: 6,
	patch: 7
};
// node_modules/zod/v4/core/schemas.js
var $ZodType = /*@__PURE__*/ $constructor("$ZodType", (inst, def) => {
	var _a;
	inst ?? (inst = {});
	inst._zod.def = def;
	inst._zod.bag = inst._zod.bag || {};
	inst._zod.version = version;
	const defChecks = inst._zod.def.checks;
	const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
	for (const ch of checks) for (const fn of ch._zod.onattach) fn(inst);
	if (checks.length === 0) {
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred?.push(() => {
			inst._zod.run = inst._zod.parse;
		});
	} else {
		const runChecks = (payload, checks, ctx) => {
			if (payload.memo) return payload;
			let isAborted = aborted(payload);
			let asyncResult;
			for (const ch of checks) {
				if (ch._zod.def.when) {
					if (explicitlyAborted(payload)) continue;
					if (!ch._zod.def.when(payload)) continue;
				} else if (isAborted) continue;
				const currLen = payload.issues.length;
				const _ = ch._zod.check(payload);
				if (_ instanceof Promise && ctx?.async === false) throw new $ZodAsyncError();
				if (asyncResult || _ instanceof Promise) asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
					await _;
					if (payload.issues.length === currLen) return;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				});
				else {
					if (payload.issues.length === currLen) continue;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				}
			}
			if (asyncResult) return asyncResult.then(() => {
				return payload;
			});
			return payload;
		};
		const handleCanaryResult = (canary, payload, ctx) => {
			if (aborted(canary)) {
				canary.aborted = true;
				return canary;
			}
			const checkResult = runChecks(payload, checks, ctx);
			if (checkResult instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return checkResult.then((checkResult) => inst._zod.parse(checkResult, ctx));
			}
			return inst._zod.parse(checkResult, ctx);
		};
		inst._zod.run = (payload, ctx) => {
			if (ctx.skipChecks) return inst._zod.parse(payload, ctx);
			if (ctx.direction === "backward") {
				const canary = inst._zod.parse({
					value: payload.value,
					issues: []
				}, {
					...ctx,
					skipChecks: true
				});
				if (canary instanceof Promise) return canary.then((canary) => {
					return handleCanaryResult(canary, payload, ctx);
				});
				return handleCanaryResult(canary, payload, ctx);
			}
			const result = inst._zod.parse(payload, ctx);
			if (result instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return result.then((result) => runChecks(result, checks, ctx));
			}
			return runChecks(result, checks, ctx);
		};
	}
}, {
	get "~standard"() {
		return hide(this, "~standard", standardProps(this));
	},
	set "~standard"(value) {
		own(this, "~standard", value);
	}
});
/** The Standard Schema surface for `inst`. Shared so wrappers can extend it without forcing it. */
var toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
async function validateAsync(inst, value) {
	const ctx = { async: true };
	return toStandardResult(await inst._zod.run({
		value,
		issues: []
	}, ctx), ctx);
}
function standardProps(inst) {
	return {
		validate: (value) => {
			const ctx = { async: false };
			try {
				const r = inst._zod.run({
					value,
					issues: []
				}, ctx);
				if (!(r instanceof Promise)) return toStandardResult(r, ctx);
			} catch (_) {}
			return validateAsync(inst, value);
		},
		vendor: "zod",
		version: 1
	};
}
var $ZodString = /*@__PURE__*/ $constructor("$ZodString", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = def.pattern ?? anyString;
	inst._zod.parse = (payload, _) => {
		if (def.coerce) try {
			payload.value = String(payload.value);
		} catch (_) {}
		if (typeof payload.value === "string") return payload;
		payload.issues.push({
			expected: "string",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
var $ZodStringFormat = /*@__PURE__*/ $constructor("$ZodStringFormat", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	$ZodString.init(inst, def);
});
var $ZodGUID = /*@__PURE__*/ $constructor("$ZodGUID", (inst, def) => {
	def.pattern ?? (def.pattern = guid);
	$ZodStringFormat.init(inst, def);
});
var $ZodUUID = /*@__PURE__*/ $constructor("$ZodUUID", (inst, def) => {
	if (def.version) {
		const v = {
			v1: 1,
			v2: 2,
			v3: 3,
			v4: 4,
			v5: 5,
			v6: 6,
			v7: 7,
			v8: 8
		}[def.version];
		if (v === void 0) throw new Error(`Invalid UUID version: "${def.version}"`);
		def.pattern ?? (def.pattern = uuid(v));
	} else def.pattern ?? (def.pattern = uuid());
	$ZodStringFormat.init(inst, def);
});
var $ZodEmail = /*@__PURE__*/ $constructor("$ZodEmail", (inst, def) => {
	def.pattern ?? (def.pattern = email);
	$ZodStringFormat.init(inst, def);
});
function canParseURL(input) {
	try {
		if (typeof URL !== "undefined" && typeof URL.canParse === "function") return URL.canParse(input);
		new URL(input);
		return true;
	} catch {
		return false;
	}
}
function validateURL(trimmed, def) {
	if (!("normalize" in def) && !("hostname" in def) && !("protocol" in def)) return canParseURL(trimmed) || 2;
	return parseURLObject(trimmed, def);
}
/** Parses a URL while preserving the non-normalizing HTTP guard. */
function parseURLObject(trimmed, def) {
	if (!def.normalize && def.protocol?.source === httpProtocol.source && !/^https?:\/\//i.test(trimmed)) return 1;
	try {
		if (typeof URL !== "undefined") {
			const URLStatic = URL;
			if (typeof URLStatic.parse === "function") return URLStatic.parse(trimmed) ?? 2;
		}
		return new URL(trimmed);
	} catch {
		return 2;
	}
}
var asciiTabOrNewline = /[\t\n\r]/g;
/** The URL parser deletes every ASCII tab, LF and CR from its input before it parses, so `new URL("https://exa\nmple.com")` reports on `example.com`. Applying the same deletion to the returned value closes the half of that divergence which can move the host; the parser's other rewrite, stripping C0 controls at the edges, cannot. */
function stripTabAndNewline(value) {
	return value.replace(asciiTabOrNewline, "");
}
function urlHostnameOk(url, hostname) {
	hostname.lastIndex = 0;
	return hostname.test(url.hostname);
}
function urlProtocolOk(url, protocol) {
	protocol.lastIndex = 0;
	return protocol.test(url.protocol.endsWith(":") ? url.protocol.slice(0, -1) : url.protocol);
}
var $ZodURL = /*@__PURE__*/ $constructor("$ZodURL", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		try {
			const trimmed = payload.value.trim();
			const url = validateURL(trimmed, def);
			if (url === 1) {
				payload.issues.push({
					code: "invalid_format",
					format: "url",
					note: "Invalid URL format",
					input: payload.value,
					inst,
					continue: !def.abort
				});
				return;
			}
			if (url === 2) {
				payload.issues.push({
					code: "invalid_format",
					format: "url",
					input: payload.value,
					inst,
					continue: !def.abort
				});
				return;
			}
			if (url === true) {
				payload.value = stripTabAndNewline(trimmed);
				return;
			}
			if (def.hostname && !urlHostnameOk(url, def.hostname)) payload.issues.push({
				code: "invalid_format",
				format: "url",
				note: "Invalid hostname",
				pattern: def.hostname.source,
				input: payload.value,
				inst,
				continue: !def.abort
			});
			if (def.protocol && !urlProtocolOk(url, def.protocol)) payload.issues.push({
				code: "invalid_format",
				format: "url",
				note: "Invalid protocol",
				pattern: def.protocol.source,
				input: payload.value,
				inst,
				continue: !def.abort
			});
			payload.value = def.normalize ? url.href : stripTabAndNewline(trimmed);
			return;
		} catch (_) {
			payload.issues.push({
				code: "invalid_format",
				format: "url",
				input: payload.value,
				inst,
				continue: !def.abort
			});
		}
	};
});
var $ZodEmoji = /*@__PURE__*/ $constructor("$ZodEmoji", (inst, def) => {
	def.pattern ?? (def.pattern = emoji());
	$ZodStringFormat.init(inst, def);
});
var $ZodNanoID = /*@__PURE__*/ $constructor("$ZodNanoID", (inst, def) => {
	if (def.length !== void 0 && (!Number.isInteger(def.length) || def.length < 1)) throw new Error(`Invalid nanoid length: ${def.length}`);
	def.pattern ?? (def.pattern = def.length === void 0 ? nanoid : nanoidOfLength(def.length));
	$ZodStringFormat.init(inst, def);
});
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link $ZodCUID2} instead.
* See https://github.com/paralleldrive/cuid.
*/
var $ZodCUID = /*@__PURE__*/ $constructor("$ZodCUID", (inst, def) => {
	def.pattern ?? (def.pattern = cuid);
	$ZodStringFormat.init(inst, def);
});
var $ZodCUID2 = /*@__PURE__*/ $constructor("$ZodCUID2", (inst, def) => {
	def.pattern ?? (def.pattern = cuid2);
	$ZodStringFormat.init(inst, def);
});
var $ZodULID = /*@__PURE__*/ $constructor("$ZodULID", (inst, def) => {
	def.pattern ?? (def.pattern = ulid);
	$ZodStringFormat.init(inst, def);
});
var $ZodXID = /*@__PURE__*/ $constructor("$ZodXID", (inst, def) => {
	def.pattern ?? (def.pattern = xid);
	$ZodStringFormat.init(inst, def);
});
var $ZodKSUID = /*@__PURE__*/ $constructor("$ZodKSUID", (inst, def) => {
	def.pattern ?? (def.pattern = ksuid);
	$ZodStringFormat.init(inst, def);
});
var $ZodISODateTime = /*@__PURE__*/ $constructor("$ZodISODateTime", (inst, def) => {
	def.pattern ?? (def.pattern = datetime(def));
	$ZodStringFormat.init(inst, def);
});
var $ZodISODate = /*@__PURE__*/ $constructor("$ZodISODate", (inst, def) => {
	def.pattern ?? (def.pattern = date);
	$ZodStringFormat.init(inst, def);
});
var $ZodISOTime = /*@__PURE__*/ $constructor("$ZodISOTime", (inst, def) => {
	def.pattern ?? (def.pattern = time(def));
	$ZodStringFormat.init(inst, def);
});
var $ZodISODuration = /*@__PURE__*/ $constructor("$ZodISODuration", (inst, def) => {
	def.pattern ?? (def.pattern = duration);
	$ZodStringFormat.init(inst, def);
});
var $ZodIPv4 = /*@__PURE__*/ $constructor("$ZodIPv4", (inst, def) => {
	def.pattern ?? (def.pattern = ipv4);
	$ZodStringFormat.init(inst, def);
});
/** An IPv6 address is written with hex digits, colons and dots, and nothing else. The guard is what makes the check below an IPv6 check: `new URL("http://[...]")` parses an authority, not an address, so `@` and `\` re-delimit it and `"::@1\\"` validates against the host `0.0.0.1`. The URL parser also deletes ASCII tab, LF and CR rather than failing, which is how `"::1\n"` validated as `::1`. */
var ipv6Alphabet = /^[0-9a-fA-F:.]+$/;
function isValidIPv6(value) {
	if (!ipv6Alphabet.test(value)) return false;
	return canParseURL(`http://[${value}]`);
}
var $ZodIPv6 = /*@__PURE__*/ $constructor("$ZodIPv6", (inst, def) => {
	def.pattern ?? (def.pattern = ipv6);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (!isValidIPv6(payload.value)) payload.issues.push({
			code: "invalid_format",
			format: "ipv6",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCIDRv4 = /*@__PURE__*/ $constructor("$ZodCIDRv4", (inst, def) => {
	def.pattern ?? (def.pattern = cidrv4);
	$ZodStringFormat.init(inst, def);
});
function isValidCIDRv6(value) {
	const parts = value.split("/");
	if (parts.length !== 2) return false;
	const [address, prefix] = parts;
	if (!prefix) return false;
	const prefixNum = Number(prefix);
	if (`${prefixNum}` !== prefix) return false;
	if (prefixNum < 0 || prefixNum > 128) return false;
	return isValidIPv6(address);
}
var $ZodCIDRv6 = /*@__PURE__*/ $constructor("$ZodCIDRv6", (inst, def) => {
	def.pattern ?? (def.pattern = cidrv6);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (!isValidCIDRv6(payload.value)) payload.issues.push({
			code: "invalid_format",
			format: "cidrv6",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
function isValidBase64(data) {
	if (data === "") return true;
	if (/\s/.test(data)) return false;
	if (data.length % 4 !== 0) return false;
	try {
		atob(data);
		return true;
	} catch {
		return false;
	}
}
var base64Charset = /^[0-9a-zA-Z+/]*={0,2}$/;
var $ZodBase64 = /*@__PURE__*/ $constructor("$ZodBase64", (inst, def) => {
	def.pattern ?? (def.pattern = base64Charset);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidBase64(payload.value)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "base64",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var base64urlCharset = /^[A-Za-z0-9_-]*$/;
function isValidBase64URL(data) {
	if (!base64urlCharset.test(data)) return false;
	const base64 = data.replace(/[-_]/g, (c) => c === "-" ? "+" : "/");
	return isValidBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
}
var $ZodBase64URL = /*@__PURE__*/ $constructor("$ZodBase64URL", (inst, def) => {
	def.pattern ?? (def.pattern = base64urlCharset);
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidBase64URL(payload.value)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "base64url",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodE164 = /*@__PURE__*/ $constructor("$ZodE164", (inst, def) => {
	def.pattern ?? (def.pattern = e164);
	$ZodStringFormat.init(inst, def);
});
function isValidJWT(token, algorithm = null) {
	try {
		const tokensParts = token.split(".");
		if (tokensParts.length !== 3) return false;
		const [header] = tokensParts;
		if (!header) return false;
		const parsedHeader = JSON.parse(atob(header));
		if ("typ" in parsedHeader && parsedHeader?.typ !== "JWT") return false;
		if (!parsedHeader.alg) return false;
		if (algorithm && (!("alg" in parsedHeader) || parsedHeader.alg !== algorithm)) return false;
		return true;
	} catch {
		return false;
	}
}
var $ZodJWT = /*@__PURE__*/ $constructor("$ZodJWT", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		if (isValidJWT(payload.value, def.alg)) return;
		payload.issues.push({
			code: "invalid_format",
			format: "jwt",
			input: payload.value,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodNumber = /*@__PURE__*/ $constructor("$ZodNumber", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = number$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Number(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) return payload;
		const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
		payload.issues.push({
			expected: "number",
			code: "invalid_type",
			input,
			inst,
			...received ? { received } : {}
		});
		return payload;
	};
});
var $ZodNumberFormat = /*@__PURE__*/ $constructor("$ZodNumberFormat", (inst, def) => {
	$ZodCheckNumberFormat.init(inst, def);
	$ZodNumber.init(inst, def);
});
var $ZodUnknown = /*@__PURE__*/ $constructor("$ZodUnknown", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload) => payload;
});
var $ZodNever = /*@__PURE__*/ $constructor("$ZodNever", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _ctx) => {
		payload.issues.push({
			expected: "never",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
function capSize(inst, size) {
	const caps = sizeCaps(inst._zod.def.checks);
	if (!caps.length) return;
	const cap = Math.min(...caps.map((c) => c[0]));
	const parse = inst._zod.parse;
	inst._zod.parse = (payload, ctx) => {
		const n = size(payload.value);
		if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
			for (const [max, ch] of sizeCaps(inst._zod.def.checks)) if (n > max && ch._zod.def.when(payload)) {
				const start = payload.issues.length;
				ch._zod.check(payload);
				payload.issues[start].continue = false;
				attachSchema(payload.issues, start, inst);
				return payload;
			}
		}
		return parse(payload, ctx);
	};
}
var arraySize = (input) => Array.isArray(input) ? input.length : -1;
function handleArrayResult(result, final, index) {
	if (result.issues.length) final.issues.push(...prefixIssues(index, result.issues));
	final.value[index] = result.value;
}
var $ZodArray = /*@__PURE__*/ $constructor("$ZodArray", (inst, def) => {
	$ZodType.init(inst, def);
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!Array.isArray(input)) {
			payload.issues.push({
				expected: "array",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
		const proms = [];
		const abortEarly = ctx?.abortEarly;
		for (let i = 0; i < input.length; i++) {
			const item = input[i];
			const result = def.element._zod.run({
				value: item,
				issues: []
			}, ctx);
			if (result instanceof Promise) proms.push(result.then((result) => handleArrayResult(result, payload, i)));
			else {
				handleArrayResult(result, payload, i);
				if (abortEarly && result.issues.length !== 0 && aborted(result)) break;
			}
		}
		if (proms.length) return Promise.all(proms).then(() => payload);
		return payload;
	};
	capSize(inst, arraySize);
});
function handlePropertyResult(result, final, key, input, optin, optout) {
	const isPresent = key in input;
	const isOptionalOut = optout === "optional";
	if (!isPresent && isOptionalOut && optin === "optional") return;
	if (result.issues.length) {
		if (optin !== void 0 && isOptionalOut && !isPresent) return;
		final.issues.push(...prefixIssues(key, result.issues));
	}
	if (!isPresent && optin === void 0) {
		if (!result.issues.length) final.issues.push({
			code: "invalid_type",
			expected: "nonoptional",
			input: void 0,
			path: [key]
		});
		return;
	}
	if (result.value === void 0) {
		if (isPresent || optin === "defaulted" && !isOptionalOut) final.value[key] = void 0;
	} else final.value[key] = result.value;
}
var NO_SYMBOL_KEYS = [];
function normalizeDef(def) {
	const keys = Object.keys(def.shape);
	const ownSymbols = Object.getOwnPropertySymbols(def.shape);
	const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
	const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
	for (const k of allKeys) if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
	const okeys = optionalKeys(def.shape);
	return {
		...def,
		allKeys,
		symbolKeys,
		keySet: new Set(keys),
		numKeys: keys.length,
		optionalKeys: new Set(okeys)
	};
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
	const unrecognized = [];
	const keySet = def.keySet;
	const _catchall = def.catchall._zod;
	const t = _catchall.def.type;
	const optin = _catchall.optin;
	const optout = _catchall.optout;
	let seen = 0;
	for (const key in input) {
		if (abortEarly && payload.issues.length !== seen) {
			if (aborted(payload, seen)) break;
			seen = payload.issues.length;
		}
		if (keySet.has(key)) continue;
		if (key === "__proto__") {
			if (t === "never") unrecognized.push(key);
			continue;
		}
		if (t === "never") {
			unrecognized.push(key);
			continue;
		}
		const r = _catchall.run({
			value: input[key],
			issues: []
		}, ctx);
		if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
		else handlePropertyResult(r, payload, key, input, optin, optout);
	}
	if (unrecognized.length) payload.issues.push({
		code: "unrecognized_keys",
		keys: unrecognized,
		input,
		inst,
		continue: true
	});
	if (!proms.length) return payload;
	return Promise.all(proms).then(() => {
		return payload;
	});
}
var $ZodObject = /*@__PURE__*/ $constructor("$ZodObject", (inst, def) => {
	$ZodType.init(inst, def);
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	const sh = desc?.get ? desc.get.raw : def.shape ?? {};
	if (sh) {
		const get = () => {
			const newSh = { ...sh };
			Object.defineProperty(def, "shape", { value: newSh });
			get.raw = newSh;
			return newSh;
		};
		get.raw = sh;
		Object.defineProperty(def, "shape", { get });
	}
	const _normalized = cached(() => normalizeDef(def));
	defineLazyInternal(inst, "propValues", (zod) => {
		const shape = zod.def.shape;
		const propValues = {};
		for (const key in shape) {
			const field = shape[key]._zod;
			if (field.values) {
				if (!Object.prototype.hasOwnProperty.call(propValues, key)) assignProp(propValues, key, /* @__PURE__ */ new Set());
				for (const v of field.values) propValues[key].add(v);
				if (field.optin !== void 0) propValues[key].add(void 0);
			}
		}
		return propValues;
	});
	const isObject$1 = isObject;
	const catchall = def.catchall;
	let value;
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject$1(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
		const proms = [];
		const shape = value.shape;
		const abortEarly = ctx?.abortEarly;
		let seen = payload.issues.length;
		for (const key of value.allKeys) {
			if (abortEarly && payload.issues.length !== seen) {
				if (aborted(payload, seen)) break;
				seen = payload.issues.length;
			}
			if (key === "__proto__") continue;
			const el = shape[key];
			const optin = el._zod.optin;
			const optout = el._zod.optout;
			const r = el._zod.run({
				value: input[key],
				issues: []
			}, ctx);
			if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
			else handlePropertyResult(r, payload, key, input, optin, optout);
		}
		if (!catchall) return proms.length ? Promise.all(proms).then(() => payload) : payload;
		return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
	};
});
var $ZodObjectJIT = /*@__PURE__*/ $constructor("$ZodObjectJIT", (inst, def) => {
	$ZodObject.init(inst, def);
	const superParse = inst._zod.parse;
	const _normalized = cached(() => normalizeDef(def));
	const memo = globalConfig.memoizer;
	const generateFastpass = (shape) => {
		const normalized = _normalized.value;
		const syms = normalized.symbolKeys;
		const doc = new Doc(["payload", "ctx"], {
			shape,
			inst,
			memo,
			syms
		});
		const parseStr = (k) => `shape[${k}]._zod.run({ value: input[${k}], issues: [] }, ctx)`;
		const prefixStr = (id, k) => `
          let ${id}_ab = false;
          for (let i = 0; i < ${id}.issues.length; i++) {
            const iss = ${id}.issues[i];
            iss.path = iss.path ? [${k}, ...iss.path] : [${k}];
            payload.issues.push(iss);
            if (iss.continue !== true) ${id}_ab = true;
          }
          if (${id}_ab && ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }`;
		doc.write(`const input = payload.value;`);
		const ids = Object.create(null);
		let counter = 0;
		for (const key of normalized.allKeys) ids[key] = `key_${counter++}`;
		doc.write(memo ? `const newResult = memo.alloc(inst, payload, {}, ctx);` : `const newResult = {};`);
		for (const key of normalized.allKeys) {
			if (key === "__proto__") continue;
			const id = ids[key];
			const k = typeof key === "symbol" ? `syms[${syms.indexOf(key)}]` : esc(key);
			const isPresent = `${k} in input`;
			const schema = shape[key];
			const optin = schema?._zod?.optin;
			const isOptionalIn = optin !== void 0;
			const isOptionalOut = schema?._zod?.optout === "optional";
			doc.write(`const ${id} = ${parseStr(k)};`);
			if (isOptionalIn && isOptionalOut) {
				const assign = optin === "optional" ? `${id}_present` : `${id}.value !== undefined || ${id}_present`;
				doc.write(`
        const ${id}_present = ${isPresent};
        if (!${id}.issues.length || ${id}_present) {
          if (${id}.issues.length) {${prefixStr(id, k)}
          }

          if (${assign}) {
            newResult[${k}] = ${id}.value;
          }
        }

      `);
			} else if (!isOptionalIn) doc.write(`
        const ${id}_present = ${isPresent};
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
        if (!${id}_present && !${id}.issues.length) {
          payload.issues.push({
            code: "invalid_type",
            expected: "nonoptional",
            input: undefined,
            path: [${k}]
          });
          if (ctx && ctx.abortEarly) {
            payload.value = newResult;
            return payload;
          }
        }

        if (${id}_present) {
          newResult[${k}] = ${id}.value;
        }

      `);
			else {
				doc.write(`
        if (${id}.issues.length) {${prefixStr(id, k)}
        }
      `);
				if (optin === "defaulted") doc.write(`newResult[${k}] = ${id}.value;`);
				else doc.write(`
        if (${id}.value !== undefined || ${isPresent}) {
          newResult[${k}] = ${id}.value;
        }
      `);
			}
		}
		doc.write(`payload.value = newResult;`);
		doc.write(`return payload;`);
		return doc.compile();
	};
	let fastpass;
	const isObject$2 = isObject;
	const jit = !globalConfig.jitless;
	const fastEnabled = jit && allowsEval.value;
	const catchall = def.catchall;
	let value;
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject$2(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		if (jit && fastEnabled && ctx?.async === false && ctx.jitless !== true) {
			if (!fastpass) fastpass = generateFastpass(def.shape);
			payload = fastpass(payload, ctx);
			if (!catchall) return payload;
			return handleCatchall([], input, payload, ctx, value, inst, ctx?.abortEarly === true);
		}
		return superParse(payload, ctx);
	};
});
function handleUnionResults(results, final, inst, ctx) {
	for (const result of results) if (result.issues.length === 0) {
		final.value = result.value;
		return final;
	}
	const nonaborted = results.filter((r) => !aborted(r));
	if (nonaborted.length === 1) {
		final.value = nonaborted[0].value;
		return nonaborted[0];
	}
	final.issues.push({
		code: "invalid_union",
		input: final.value,
		inst,
		errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config())))
	});
	return final;
}
var $ZodUnion = /*@__PURE__*/ $constructor("$ZodUnion", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted") ? "defaulted" : zod.def.options.some((o) => o._zod.optin !== void 0) ? "optional" : void 0);
	defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : void 0);
	defineLazyInternal(inst, "values", (zod) => {
		if (zod.def.options.every((o) => o._zod.values)) return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		if (zod.def.options.every((o) => o._zod.pattern)) {
			const patterns = zod.def.options.map((o) => o._zod.pattern);
			return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
		}
	});
	const first = def.options.length === 1 ? def.options[0]._zod.run : null;
	inst._zod.parse = (payload, ctx) => {
		if (first) return first(payload, ctx);
		let async = false;
		const results = [];
		for (const option of def.options) {
			const result = option._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) {
				results.push(result);
				async = true;
			} else {
				if (result.issues.length === 0) return result;
				results.push(result);
			}
		}
		if (!async) return handleUnionResults(results, payload, inst, ctx);
		return Promise.all(results).then((results) => {
			return handleUnionResults(results, payload, inst, ctx);
		});
	};
});
var $ZodIntersection = /*@__PURE__*/ $constructor("$ZodIntersection", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		const left = def.left._zod.run({
			value: input,
			issues: []
		}, ctx);
		const right = def.right._zod.run({
			value: input,
			issues: []
		}, ctx);
		if (left instanceof Promise || right instanceof Promise) return Promise.all([left, right]).then(([left, right]) => {
			return handleIntersectionResults(payload, left, right);
		});
		return handleIntersectionResults(payload, left, right);
	};
});
function mergeValues(a, b) {
	if (a === b) return {
		valid: true,
		data: a
	};
	if (a instanceof Date && b instanceof Date && +a === +b) return {
		valid: true,
		data: a
	};
	if (isPlainObject(a) && isPlainObject(b)) {
		const bKeys = Object.keys(b);
		const sharedKeys = Object.keys(a).filter((key) => bKeys.indexOf(key) !== -1);
		const newObj = {
			...a,
			...b
		};
		if (Object.prototype.hasOwnProperty.call(newObj, "__proto__")) delete newObj.__proto__;
		for (const key of sharedKeys) {
			if (key === "__proto__") continue;
			const sharedValue = mergeValues(a[key], b[key]);
			if (!sharedValue.valid) return {
				valid: false,
				mergeErrorPath: [key, ...sharedValue.mergeErrorPath]
			};
			newObj[key] = sharedValue.data;
		}
		return {
			valid: true,
			data: newObj
		};
	}
	if (Array.isArray(a) && Array.isArray(b)) {
		if (a.length !== b.length) return {
			valid: false,
			mergeErrorPath: []
		};
		const newArray = [];
		for (let index = 0; index < a.length; index++) {
			const itemA = a[index];
			const itemB = b[index];
			const sharedValue = mergeValues(itemA, itemB);
			if (!sharedValue.valid) return {
				valid: false,
				mergeErrorPath: [index, ...sharedValue.mergeErrorPath]
			};
			newArray.push(sharedValue.data);
		}
		return {
			valid: true,
			data: newArray
		};
	}
	return {
		valid: false,
		mergeErrorPath: []
	};
}
function handleIntersectionResults(result, left, right) {
	const unrecKeys = /* @__PURE__ */ new Map();
	let unrecIssue;
	const keyIssues = /* @__PURE__ */ new Map();
	const collect = (iss, side) => {
		let keys;
		if (iss.code === "unrecognized_keys" && !iss.path?.length) {
			unrecIssue ?? (unrecIssue = iss);
			keys = iss.keys;
		} else if (iss.code === "invalid_key" && iss.origin === "record" && iss.path?.length === 1) {
			const k = String(iss.path[0]);
			if (!keyIssues.has(k)) keyIssues.set(k, iss);
			keys = [k];
		} else return false;
		for (const k of keys) {
			if (!unrecKeys.has(k)) unrecKeys.set(k, {});
			unrecKeys.get(k)[side] = true;
		}
		return true;
	};
	for (const iss of left.issues) if (!collect(iss, "l")) result.issues.push(iss);
	for (const iss of right.issues) if (!collect(iss, "r")) result.issues.push(iss);
	const bothKeys = [...unrecKeys].filter(([, f]) => f.l && f.r).map(([k]) => k);
	if (bothKeys.length) {
		const aggregated = unrecIssue ? bothKeys.filter((k) => unrecIssue.keys.includes(k)) : [];
		if (aggregated.length) result.issues.push({
			...unrecIssue,
			keys: aggregated
		});
		for (const k of bothKeys) if (!aggregated.includes(k) && keyIssues.has(k)) result.issues.push(keyIssues.get(k));
	}
	const merged = mergeValues(left.value, right.value);
	if (!merged.valid) {
		if (aborted(result)) return result;
		throw new Error(`Unmergable intersection. Error path: ${JSON.stringify(merged.mergeErrorPath)}`);
	}
	result.value = merged.data;
	return result;
}
var $ZodEnum = /*@__PURE__*/ $constructor("$ZodEnum", (inst, def) => {
	$ZodType.init(inst, def);
	const values = getEnumValues(def.entries);
	const valuesSet = new Set(values);
	inst._zod.values = valuesSet;
	defineLazyInternal(inst, "pattern", (zod) => {
		const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
		return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (valuesSet.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values,
			input,
			inst
		});
		return payload;
	};
});
var $ZodTransform = /*@__PURE__*/ $constructor("$ZodTransform", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "optional";
	globalConfig.memoizer?.guard(inst);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		const _out = def.transform(payload.value, payload);
		if (ctx.async) return (_out instanceof Promise ? _out : Promise.resolve(_out)).then((output) => {
			payload.value = output;
			return payload;
		});
		if (_out instanceof Promise) throw new $ZodAsyncError();
		payload.value = _out;
		return payload;
	};
});
function handleOptionalResult(payload, result) {
	payload.value = result.issues.length ? void 0 : result.value;
	return payload;
}
var $ZodOptional = /*@__PURE__*/ $constructor("$ZodOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	inst._zod.optout = "optional";
	defineLazyInternal(inst, "values", (zod) => {
		const values = zod.def.innerType._zod.values;
		return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === void 0) {
			if (def.innerType._zod.optin !== "defaulted") return payload;
			const result = def.innerType._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) return result.then((result) => handleOptionalResult(payload, result));
			return handleOptionalResult(payload, result);
		}
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodExactOptional = /*@__PURE__*/ $constructor("$ZodExactOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	defineLazyInternal(inst, "pattern", (zod) => zod.def.innerType._zod.pattern);
	inst._zod.parse = (payload, ctx) => {
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodNullable = /*@__PURE__*/ $constructor("$ZodNullable", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : void 0;
	});
	defineLazyInternal(inst, "values", (zod) => {
		return zod.def.innerType._zod.values ? /* @__PURE__ */ new Set([...zod.def.innerType._zod.values, null]) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === null) return payload;
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodDefault = /*@__PURE__*/ $constructor("$ZodDefault", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "defaulted";
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		if (payload.value === void 0) {
			payload.value = def.defaultValue;
			/**
			* $ZodDefault returns the default value immediately in forward direction.
			* It doesn't pass the default value into the validator ("prefault"). There's no reason to pass the default value through validation. The validity of the default is enforced by TypeScript statically. Otherwise, it's the responsibility of the user to ensure the default is valid. In the case of pipes with divergent in/out types, you can specify the default on the `in` schema of your ZodPipe to set a "prefault" for the pipe.   */
			return payload;
		}
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then((result) => handleDefaultResult(result, def));
		return handleDefaultResult(result, def);
	};
});
function handleDefaultResult(payload, def) {
	if (payload.value === void 0) payload.value = def.defaultValue;
	return payload;
}
var $ZodPrefault = /*@__PURE__*/ $constructor("$ZodPrefault", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "defaulted";
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		if (payload.value === void 0) payload.value = def.defaultValue;
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodNonOptional = /*@__PURE__*/ $constructor("$ZodNonOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => {
		const v = zod.def.innerType._zod.values;
		return v ? new Set([...v].filter((x) => x !== void 0)) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then((result) => handleNonOptionalResult(result, inst));
		return handleNonOptionalResult(result, inst);
	};
});
function handleNonOptionalResult(payload, inst) {
	if (!payload.issues.length && payload.value === void 0) payload.issues.push({
		code: "invalid_type",
		expected: "nonoptional",
		input: payload.value,
		inst
	});
	return payload;
}
function handleCatchResult(payload, result, def, ctx) {
	if (!result.issues.length) {
		payload.value = result.value;
		if (result.memo) payload.memo = true;
		return payload;
	}
	payload.value = def.catchValue({
		...result,
		value: payload.value,
		error: { issues: result.issues.map((iss) => finalizeIssue(iss, ctx, config())) },
		input: payload.value
	});
	return payload;
}
var $ZodCatch = /*@__PURE__*/ $constructor("$ZodCatch", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		const result = def.innerType._zod.run({
			value: payload.value,
			issues: []
		}, ctx);
		if (result instanceof Promise) return result.then((result) => handleCatchResult(payload, result, def, ctx));
		return handleCatchResult(payload, result, def, ctx);
	};
});
var $ZodPipe = /*@__PURE__*/ $constructor("$ZodPipe", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") {
			const right = def.out._zod.run(payload, ctx);
			if (right instanceof Promise) return right.then((right) => handlePipeResult(right, def.in, ctx));
			return handlePipeResult(right, def.in, ctx);
		}
		const left = def.in._zod.run(payload, ctx);
		if (left instanceof Promise) return left.then((left) => handlePipeResult(left, def.out, ctx));
		return handlePipeResult(left, def.out, ctx);
	};
});
function handlePipeResult(left, next, ctx) {
	if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
		left.aborted = true;
		return left;
	}
	return next._zod.run({
		value: left.value,
		issues: left.issues
	}, ctx);
}
var $ZodReadonly = /*@__PURE__*/ $constructor("$ZodReadonly", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.innerType._zod.propValues);
	defineLazyInternal(inst, "values", (zod) => zod.def.innerType._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType?._zod?.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType?._zod?.optout);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") return def.innerType._zod.run(payload, ctx);
		const result = def.innerType._zod.run(payload, ctx);
		if (result instanceof Promise) return result.then(handleReadonlyResult);
		return handleReadonlyResult(result);
	};
});
function handleReadonlyResult(payload) {
	if (!payload.memo) payload.value = Object.freeze(payload.value);
	return payload;
}
var $ZodCustom = /*@__PURE__*/ $constructor("$ZodCustom", (inst, def) => {
	$ZodCheck.init(inst, def);
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _) => {
		return payload;
	};
	inst._zod.check = (payload) => {
		const input = payload.value;
		const r = def.fn(input);
		if (r instanceof Promise) return r.then((r) => handleRefineResult(r, payload, input, inst));
		handleRefineResult(r, payload, input, inst);
	};
});
function handleRefineResult(result, payload, input, inst) {
	if (!result) {
		const _iss = {
			code: "custom",
			input,
			inst,
			path: [...inst._zod.def.path ?? []],
			continue: !inst._zod.def.abort
		};
		if (inst._zod.def.params) _iss.params = inst._zod.def.params;
		payload.issues.push(issue(_iss));
	}
}
// node_modules/zod/v4/core/memoizer.js
var $ZodCyclicError = class extends Error {
	constructor() {
		super(`Cannot parse a reference cycle that closes through a transform`);
		this.name = "ZodCyclicError";
	}
};
/** Keyed off the context object every schema in one parse call already shares. */
var STATE = "~memo";
var NO_ISSUES = [];
function isRef(value) {
	return value !== null && typeof value === "object";
}
function cloneIssues(issues) {
	return issues.map((iss) => iss.path ? {
		...iss,
		path: iss.path.slice()
	} : { ...iss });
}
var recursive = /*@__PURE__*/ new WeakMap();
/** What the walk established, in order of certainty: ordered so the strongest answer among children wins. */
var NONE = 0;
var ASSUMED = 1;
var PROVEN = 2;
/** Whether this schema's subtree contains a cycle, so one parse can re-enter it. */
function isRecursive(inst, stack, resolve) {
	const cached = recursive.get(inst);
	if (cached !== void 0) return cached ? PROVEN : NONE;
	if (stack.has(inst)) return PROVEN;
	stack.add(inst);
	let result = NONE;
	const check = (child) => {
		if (result !== PROVEN && child?._zod) {
			const answer = isRecursive(child, stack, resolve);
			if (answer > result) result = answer;
		}
	};
	const shape = (sh, spread) => {
		let answer = NONE;
		for (const key of Reflect.ownKeys(sh)) {
			const desc = Object.getOwnPropertyDescriptor(sh, key);
			if (spread && !desc.enumerable) continue;
			const child = desc.get ? ASSUMED : desc.value?._zod ? isRecursive(desc.value, stack, resolve) : NONE;
			if (child > answer) answer = child;
		}
		return answer;
	};
	const merge = (answer) => {
		if (answer > result) result = answer;
	};
	const def = inst._zod.def;
	switch (def.type) {
		case "object": {
			const raw = rawShape(def);
			merge(raw ? shape(raw, true) : ASSUMED);
			check(def.catchall);
			break;
		}
		case "array":
			check(def.element);
			break;
		case "tuple":
			for (const el of def.items) check(el);
			check(def.rest);
			break;
		case "record":
		case "map":
			check(def.keyType);
			check(def.valueType);
			break;
		case "set":
			check(def.valueType);
			break;
		case "union":
			for (const el of def.options) check(el);
			break;
		case "intersection":
			check(def.left);
			check(def.right);
			break;
		case "optional":
		case "nullable":
		case "default":
		case "prefault":
		case "catch":
		case "readonly":
		case "nonoptional":
		case "promise":
		case "success":
			check(def.innerType);
			break;
		case "pipe":
			check(def.in);
			check(def.out);
			break;
		case "function":
			check(def.input);
			check(def.output);
			break;
		case "lazy": {
			const inner = def._cachedInner ?? (resolve ? inst._zod.innerType : void 0);
			merge(inner ? isRecursive(inner, stack, false) : ASSUMED);
			break;
		}
		case "template_literal":
		case "string":
		case "number":
		case "int":
		case "boolean":
		case "bigint":
		case "symbol":
		case "undefined":
		case "null":
		case "void":
		case "never":
		case "any":
		case "unknown":
		case "date":
		case "nan":
		case "enum":
		case "literal":
		case "file":
		case "transform":
		case "custom": break;
		default: for (const key in def) {
			const desc = Object.getOwnPropertyDescriptor(def, key);
			if (!desc || desc.get) continue;
			const value = desc.value;
			if (!value || typeof value !== "object") continue;
			if (value._zod) check(value);
			else if (Array.isArray(value)) for (const el of value) check(el);
		}
	}
	stack.delete(inst);
	return settle(inst, result);
}
/** An assumed answer must not outlive the resolution that settles it, so only a certain one is cached. */
function settle(inst, answer) {
	if (answer !== ASSUMED) recursive.set(inst, answer === PROVEN);
	return answer;
}
function bucketFor(state, inst) {
	let bucket = state.buckets.get(inst);
	if (!bucket) {
		bucket = /* @__PURE__ */ new WeakMap();
		state.buckets.set(inst, bucket);
	}
	return bucket;
}
var handoff;
var open = [];
var memo$1 = {
	alloc(_inst, payload, empty) {
		const bucket = handoff;
		if (!bucket) return empty;
		handoff = void 0;
		const entry = {
			value: empty,
			issues: null
		};
		bucket.set(payload.value, entry);
		open.push(entry);
		return empty;
	},
	guard(inst) {
		var _a;
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred.push(() => {
			const base = inst._zod.parse;
			const wrapped = (payload, ctx) => {
				if (ctx.direction !== "backward" && isBackEdge(ctx, payload.value)) throw new $ZodCyclicError();
				return base(payload, ctx);
			};
			inst._zod.parse = wrapped;
			if (inst._zod.run === base) inst._zod.run = wrapped;
		});
	},
	attach(inst) {
		var _a;
		let isRecursiveInst;
		let rechecked = false;
		let lastCtx;
		let lastBucket;
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred.push(() => {
			const base = inst._zod.parse;
			const wrapped = (payload, ctx) => {
				if (isRecursiveInst === void 0) {
					const walked = isRecursive(inst, /* @__PURE__ */ new Set(), false);
					if (walked === NONE) {
						inst._zod.parse = base;
						if (inst._zod.run === wrapped) inst._zod.run = base;
						return base(payload, ctx);
					}
					if (walked === PROVEN || rechecked) isRecursiveInst = true;
					else rechecked = true;
				}
				const input = payload.value;
				if (!isRef(input)) return base(payload, ctx);
				let state = ctx[STATE];
				if (!state) {
					state = {
						buckets: /* @__PURE__ */ new WeakMap(),
						backEdges: void 0
					};
					ctx[STATE] = state;
				}
				let bucket;
				if (lastCtx === ctx) bucket = lastBucket;
				else {
					bucket = bucketFor(state, inst);
					lastCtx = ctx;
					lastBucket = bucket;
				}
				const hit = bucket.get(input);
				if (hit) {
					payload.value = hit.value;
					if (hit.issues) {
						if (hit.issues.length) payload.issues.push(...cloneIssues(hit.issues));
					} else {
						payload.memo = true;
						state.backEdges ?? (state.backEdges = /* @__PURE__ */ new WeakSet());
						state.backEdges.add(hit.value);
					}
					return payload;
				}
				handoff = bucket;
				const depth = open.length;
				const result = base(payload, ctx);
				handoff = void 0;
				const entry = open.length > depth ? open.pop() : void 0;
				if (result instanceof Promise) return result.then((r) => {
					if (entry) entry.issues = r.issues.length ? cloneIssues(r.issues) : NO_ISSUES;
					return r;
				});
				if (entry) entry.issues = result.issues.length ? cloneIssues(result.issues) : NO_ISSUES;
				return result;
			};
			inst._zod.parse = wrapped;
			if (inst._zod.run === base) inst._zod.run = wrapped;
		});
	}
};
/** The memoizer that gives containers cycle support. `zod` installs it by default; `zod/mini` opts in with `config({ memoizer: memoizer() })`. */
function memoizer() {
	return memo$1;
}
/** Whether this value is a node a back-edge resolved to before it finished. */
function isBackEdge(ctx, value) {
	const backEdges = ctx[STATE]?.backEdges;
	return backEdges !== void 0 && isRef(value) && backEdges.has(value);
}
// node_modules/zod/v4/locales/en.js
var error = () => {
	const Sizable = {
		string: {
			unit: "characters",
			verb: "to have"
		},
		file: {
			unit: "bytes",
			verb: "to have"
		},
		array: {
			unit: "items",
			verb: "to have"
		},
		set: {
			unit: "items",
			verb: "to have"
		},
		map: {
			unit: "entries",
			verb: "to have"
		}
	};
	function getSizing(origin) {
		return Sizable[origin] ?? null;
	}
	const FormatDictionary = {
		regex: "input",
		email: "email address",
		url: "URL",
		emoji: "emoji",
		uuid: "UUID",
		uuidv4: "UUIDv4",
		uuidv6: "UUIDv6",
		nanoid: "nanoid",
		guid: "GUID",
		cuid: "cuid",
		cuid2: "cuid2",
		ulid: "ULID",
		xid: "XID",
		ksuid: "KSUID",
		datetime: "ISO datetime",
		date: "ISO date",
		time: "ISO time",
		duration: "ISO duration",
		ipv4: "IPv4 address",
		ipv6: "IPv6 address",
		mac: "MAC address",
		cidrv4: "IPv4 range",
		cidrv6: "IPv6 range",
		base64: "base64-encoded string",
		base64url: "base64url-encoded string",
		json_string: "JSON string",
		e164: "E.164 number",
		currency_code: "currency code",
		credit_card: "credit card number",
		iban: "IBAN",
		jwt: "JWT",
		template_literal: "input"
	};
	const TypeDictionary = { nan: "NaN" };
	function getTypeName(type, input) {
		if (type === "number" && typeof input === "number" && !Number.isFinite(input)) return String(input);
		return TypeDictionary[type] ?? type;
	}
	return (issue) => {
		switch (issue.code) {
			case "invalid_type": return `Invalid input: expected ${getTypeName(issue.expected)}, received ${getTypeName(parsedType(issue.input), issue.input)}`;
			case "invalid_value":
				if (issue.values.length === 1) return `Invalid input: expected ${stringifyPrimitive(issue.values[0])}`;
				return `Invalid option: expected one of ${joinValues(issue.values, "|")}`;
			case "too_big": {
				const adj = issue.exact ? "exactly " : issue.inclusive ? "<=" : "<";
				const sizing = getSizing(issue.origin);
				if (sizing) return `Too big: expected ${issue.origin ?? "value"} to have ${adj}${issue.maximum.toString()} ${sizing.unit ?? "elements"}`;
				return `Too big: expected ${issue.origin ?? "value"} to be ${adj}${issue.maximum.toString()}`;
			}
			case "too_small": {
				const adj = issue.exact ? "exactly " : issue.inclusive ? ">=" : ">";
				const sizing = getSizing(issue.origin);
				if (sizing) return `Too small: expected ${issue.origin} to have ${adj}${issue.minimum.toString()} ${sizing.unit}`;
				return `Too small: expected ${issue.origin} to be ${adj}${issue.minimum.toString()}`;
			}
			case "invalid_format": {
				const _issue = issue;
				if (_issue.format === "starts_with") return `Invalid string: must start with "${_issue.prefix}"`;
				if (_issue.format === "ends_with") return `Invalid string: must end with "${_issue.suffix}"`;
				if (_issue.format === "includes") return `Invalid string: must include "${_issue.includes}"`;
				if (_issue.format === "regex") return `Invalid string: must match pattern ${_issue.pattern}`;
				return `Invalid ${FormatDictionary[_issue.format] ?? issue.format}`;
			}
			case "not_multiple_of": return `Invalid number: must be a multiple of ${issue.divisor}`;
			case "unrecognized_keys": return `Unrecognized key${issue.keys.length > 1 ? "s" : ""}: ${joinValues(issue.keys, ", ")}`;
			case "invalid_key": return `Invalid key in ${issue.origin}`;
			case "invalid_union":
				if (issue.options && Array.isArray(issue.options) && issue.options.length > 0) return `Invalid discriminator value. Expected ${issue.options.map((o) => `'${o}'`).join(" | ")}`;
				if (issue.inclusive === false) return "Invalid input: more than one option matched";
				return "Invalid input";
			case "invalid_element": return `Invalid value in ${issue.origin}`;
			default: return `Invalid input`;
		}
	};
};
function en_default() {
	return { localeError: error() };
}
// node_modules/zod/v4/core/registries.js
var _a;
var $ZodRegistry = class {
	constructor() {
		this._map = /* @__PURE__ */ new WeakMap();
		this._idmap = /* @__PURE__ */ new Map();
	}
	add(schema, ..._meta) {
		const meta = _meta[0];
		this._map.set(schema, meta);
		if (meta && typeof meta === "object" && "id" in meta) this._idmap.set(meta.id, schema);
		return this;
	}
	clear() {
		this._map = /* @__PURE__ */ new WeakMap();
		this._idmap = /* @__PURE__ */ new Map();
		return this;
	}
	remove(schema) {
		const meta = this._map.get(schema);
		if (meta && typeof meta === "object" && "id" in meta) this._idmap.delete(meta.id);
		this._map.delete(schema);
		return this;
	}
	get(schema) {
		const p = schema._zod.parent;
		if (p) {
			const pm = { ...this.get(p) ?? {} };
			delete pm.id;
			const f = {
				...pm,
				...this._map.get(schema)
			};
			return Object.keys(f).length ? f : void 0;
		}
		return this._map.get(schema);
	}
	has(schema) {
		return this._map.has(schema);
	}
};
function registry() {
	return new $ZodRegistry();
}
(_a = globalThis).__zod_globalRegistry ?? (_a.__zod_globalRegistry = registry());
var globalRegistry = globalThis.__zod_globalRegistry;
// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
	if (def.checks) def.checks = [...def.checks];
	return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
	return new Class(snapshotChecks({
		type: "string",
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _email(Class, params) {
	return new Class({
		type: "string",
		format: "email",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _guid(Class, params) {
	return new Class({
		type: "string",
		format: "guid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv4(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v4",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv6(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v6",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuidv7(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		version: "v7",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _url(Class, params) {
	return new Class({
		type: "string",
		format: "url",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _emoji(Class, params) {
	return new Class({
		type: "string",
		format: "emoji",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _nanoid(Class, params) {
	return new Class({
		type: "string",
		format: "nanoid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link _cuid2} instead.
* See https://github.com/paralleldrive/cuid.
*/
// @__NO_SIDE_EFFECTS__
function _cuid(Class, params) {
	return new Class({
		type: "string",
		format: "cuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cuid2(Class, params) {
	return new Class({
		type: "string",
		format: "cuid2",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ulid(Class, params) {
	return new Class({
		type: "string",
		format: "ulid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _xid(Class, params) {
	return new Class({
		type: "string",
		format: "xid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ksuid(Class, params) {
	return new Class({
		type: "string",
		format: "ksuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ipv4(Class, params) {
	return new Class({
		type: "string",
		format: "ipv4",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _ipv6(Class, params) {
	return new Class({
		type: "string",
		format: "ipv6",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cidrv4(Class, params) {
	return new Class({
		type: "string",
		format: "cidrv4",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _cidrv6(Class, params) {
	return new Class({
		type: "string",
		format: "cidrv6",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _base64(Class, params) {
	return new Class({
		type: "string",
		format: "base64",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _base64url(Class, params) {
	return new Class({
		type: "string",
		format: "base64url",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _e164(Class, params) {
	return new Class({
		type: "string",
		format: "e164",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _jwt(Class, params) {
	return new Class({
		type: "string",
		format: "jwt",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDateTime(Class, params) {
	return new Class({
		type: "string",
		format: "datetime",
		check: "string_format",
		offset: false,
		local: false,
		precision: null,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDate(Class, params) {
	return new Class({
		type: "string",
		format: "date",
		check: "string_format",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoTime(Class, params) {
	return new Class({
		type: "string",
		format: "time",
		check: "string_format",
		precision: null,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _isoDuration(Class, params) {
	return new Class({
		type: "string",
		format: "duration",
		check: "string_format",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
	return new Class(snapshotChecks({
		type: "number",
		checks: [],
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
	return new Class({
		type: "number",
		check: "number_format",
		abort: false,
		format: "safeint",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _unknown(Class) {
	return new Class({ type: "unknown" });
}
// @__NO_SIDE_EFFECTS__
function _never(Class, params) {
	return new Class({
		type: "never",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _lt(value, params) {
	return new $ZodCheckLessThan({
		check: "less_than",
		...normalizeParams(params),
		value,
		inclusive: false
	});
}
// @__NO_SIDE_EFFECTS__
function _lte(value, params) {
	return new $ZodCheckLessThan({
		check: "less_than",
		...normalizeParams(params),
		value,
		inclusive: true
	});
}
// @__NO_SIDE_EFFECTS__
function _gt(value, params) {
	return new $ZodCheckGreaterThan({
		check: "greater_than",
		...normalizeParams(params),
		value,
		inclusive: false
	});
}
// @__NO_SIDE_EFFECTS__
function _gte(value, params) {
	return new $ZodCheckGreaterThan({
		check: "greater_than",
		...normalizeParams(params),
		value,
		inclusive: true
	});
}
// @__NO_SIDE_EFFECTS__
function _multipleOf(value, params) {
	return new $ZodCheckMultipleOf({
		check: "multiple_of",
		...normalizeParams(params),
		value
	});
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
	return new $ZodCheckMaxLength({
		check: "max_length",
		...normalizeParams(params),
		maximum
	});
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
	return new $ZodCheckMinLength({
		check: "min_length",
		...normalizeParams(params),
		minimum
	});
}
// @__NO_SIDE_EFFECTS__
function _length(length, params) {
	return new $ZodCheckLengthEquals({
		check: "length_equals",
		...normalizeParams(params),
		length
	});
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
	return new $ZodCheckRegex({
		check: "string_format",
		format: "regex",
		...normalizeParams(params),
		pattern
	});
}
// @__NO_SIDE_EFFECTS__
function _lowercase(params) {
	return new $ZodCheckLowerCase({
		check: "string_format",
		format: "lowercase",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uppercase(params) {
	return new $ZodCheckUpperCase({
		check: "string_format",
		format: "uppercase",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _includes(includes, params) {
	return new $ZodCheckIncludes({
		check: "string_format",
		format: "includes",
		...normalizeParams(params),
		includes
	});
}
// @__NO_SIDE_EFFECTS__
function _startsWith(prefix, params) {
	return new $ZodCheckStartsWith({
		check: "string_format",
		format: "starts_with",
		...normalizeParams(params),
		prefix
	});
}
// @__NO_SIDE_EFFECTS__
function _endsWith(suffix, params) {
	return new $ZodCheckEndsWith({
		check: "string_format",
		format: "ends_with",
		...normalizeParams(params),
		suffix
	});
}
// @__NO_SIDE_EFFECTS__
function _overwrite(tx) {
	return new $ZodCheckOverwrite({
		check: "overwrite",
		tx
	});
}
// @__NO_SIDE_EFFECTS__
function _normalize(form) {
	return /* @__PURE__ */ _overwrite((input) => input.normalize(form));
}
// @__NO_SIDE_EFFECTS__
function _trim() {
	return /* @__PURE__ */ _overwrite((input) => input.trim());
}
// @__NO_SIDE_EFFECTS__
function _toLowerCase() {
	return /* @__PURE__ */ _overwrite((input) => input.toLowerCase());
}
// @__NO_SIDE_EFFECTS__
function _toUpperCase() {
	return /* @__PURE__ */ _overwrite((input) => input.toUpperCase());
}
// @__NO_SIDE_EFFECTS__
function _slugify() {
	return /* @__PURE__ */ _overwrite((input) => slugify(input));
}
// @__NO_SIDE_EFFECTS__
function _array(Class, element, params) {
	return new Class({
		type: "array",
		element,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _custom(Class, fn, _params) {
	const norm = normalizeParams(_params);
	norm.abort ?? (norm.abort = true);
	return new Class({
		type: "custom",
		check: "custom",
		fn,
		...norm
	});
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
	return new Class({
		type: "custom",
		check: "custom",
		fn,
		...normalizeParams(_params)
	});
}
// @__NO_SIDE_EFFECTS__
function _superRefine(fn, params) {
	const ch = /* @__PURE__ */ _check((payload) => {
		payload.addIssue = (issue$2) => {
			if (typeof issue$2 === "string") payload.issues.push(issue(issue$2, payload.value, ch._zod.def));
			else {
				const _issue = issue$2;
				if (_issue.fatal) _issue.continue = false;
				_issue.code ?? (_issue.code = "custom");
				if (!("input" in _issue)) _issue.input = payload.value;
				_issue.inst ?? (_issue.inst = ch);
				_issue.continue ?? (_issue.continue = !ch._zod.def.abort);
				payload.issues.push(issue(_issue));
			}
		};
		return fn(payload.value, payload);
	}, params);
	return ch;
}
// @__NO_SIDE_EFFECTS__
function _check(fn, params) {
	const ch = new $ZodCheck({
		check: "custom",
		...normalizeParams(params)
	});
	ch._zod.check = fn;
	return ch;
}
// node_modules/zod/v4/core/to-json-schema.js
function assignProps(target, ...sources) {
	for (const source of sources) for (const key of Reflect.ownKeys(source)) if (Object.prototype.propertyIsEnumerable.call(source, key)) assignProp(target, key, source[key]);
	return target;
}
function initializeContext(params) {
	let target = params?.target ?? "draft-2020-12";
	if (target === "draft-4") target = "draft-04";
	if (target === "draft-7") target = "draft-07";
	return {
		processors: params.processors ?? {},
		metadataRegistry: params?.metadata ?? globalRegistry,
		target,
		unrepresentable: params?.unrepresentable ?? "throw",
		override: params?.override ?? (() => {}),
		io: params?.io ?? "output",
		counter: 0,
		seen: /* @__PURE__ */ new Map(),
		sharedDefsExtractedFor: void 0,
		sharedEmitDoneFor: void 0,
		cycles: params?.cycles ?? "ref",
		reused: params?.reused ?? "inline",
		intersections: [],
		deferred: [],
		external: params?.external ?? void 0
	};
}
/**
* Applies the `unrepresentable` setting at a site that has no JSON Schema equivalent. Throws
* `message` unless the setting (or the handler's return value) says otherwise. Returns `true` if a
* custom JSON Schema was written into `json`, in which case the caller must not write its own.
*/
function handleUnrepresentable(schema, ctx, json, params, message) {
	const result = typeof ctx.unrepresentable === "function" ? ctx.unrepresentable({
		zodSchema: schema,
		path: params.path,
		message
	}) : ctx.unrepresentable;
	if (result === "any") return false;
	if (result === void 0 || result === "throw") throw new Error(message);
	Object.assign(json, result);
	return true;
}
function processSchema(schema, ctx, _params = {
	path: [],
	schemaPath: []
}) {
	var _a;
	const def = schema._zod.def;
	const seen = ctx.seen.get(schema);
	if (seen) {
		seen.count++;
		if (_params.schemaPath.includes(schema)) seen.cycle = _params.path;
		return seen.schema;
	}
	const result = {
		schema: {},
		count: 1,
		cycle: void 0,
		path: _params.path
	};
	ctx.seen.set(schema, result);
	ctx.sharedDefsExtractedFor = void 0;
	ctx.sharedEmitDoneFor = void 0;
	const overrideSchema = schema._zod.toJSONSchema?.();
	if (overrideSchema) result.schema = overrideSchema;
	else {
		const params = {
			..._params,
			schemaPath: [..._params.schemaPath, schema],
			path: _params.path
		};
		if (schema._zod.processJSONSchema) schema._zod.processJSONSchema(ctx, result.schema, params);
		else {
			const _json = result.schema;
			const processor = ctx.processors[def.type];
			if (!processor) throw new Error(`[toJSONSchema]: Non-representable type encountered: ${def.type}`);
			processor(schema, ctx, _json, params);
		}
		const parent = schema._zod.parent;
		if (parent) {
			if (!result.ref) result.ref = parent;
			processSchema(parent, ctx, params);
			ctx.seen.get(parent).isParent = true;
		}
	}
	const meta = ctx.metadataRegistry.get(schema);
	if (meta) assignProps(result.schema, meta);
	if (ctx.io === "input" && isTransforming(schema)) {
		delete result.schema.examples;
		delete result.schema.default;
	}
	if (ctx.io === "input" && "_prefault" in result.schema) (_a = result.schema).default ?? (_a.default = result.schema._prefault);
	delete result.schema._prefault;
	return ctx.seen.get(schema).schema;
}
function encodeJSONPointerSegment(segment) {
	return segment.replace(/~/g, "~0").replace(/\//g, "~1");
}
function extractDefs(ctx, schema) {
	const root = ctx.seen.get(schema);
	if (!root) throw new Error("Unprocessed schema. This is a bug in Zod.");
	if (ctx.external && ctx.sharedDefsExtractedFor === ctx.external) return;
	const idToSchema = /* @__PURE__ */ new Map();
	for (const entry of ctx.seen.entries()) {
		const id = ctx.metadataRegistry.get(entry[0])?.id;
		if (id) {
			const existing = idToSchema.get(id);
			if (existing && existing !== entry[0]) throw new Error(`Duplicate schema id "${id}" detected during JSON Schema conversion. Two different schemas cannot share the same id when converted together.`);
			idToSchema.set(id, entry[0]);
		}
	}
	const makeURI = (entry) => {
		const defsSegment = ctx.target === "draft-2020-12" ? "$defs" : "definitions";
		if (ctx.external) {
			const externalId = ctx.external.registry.get(entry[0])?.id;
			const uriGenerator = ctx.external.uri ?? ((id) => id);
			if (externalId) return { ref: uriGenerator(externalId) };
			const id = entry[1].defId ?? entry[1].schema.id ?? `schema${ctx.counter++}`;
			entry[1].defId = id;
			return {
				defId: id,
				ref: `${uriGenerator("__shared")}#/${defsSegment}/${encodeJSONPointerSegment(id)}`
			};
		}
		const uriPrefix = `#`;
		const defUriPrefix = `${uriPrefix}/${defsSegment}/`;
		if (entry[1] === root && !entry[1].schema.id) return { ref: uriPrefix };
		const defId = entry[1].schema.id ?? `__schema${ctx.counter++}`;
		return {
			defId,
			ref: defUriPrefix + encodeJSONPointerSegment(defId)
		};
	};
	const extractToDef = (entry) => {
		if (entry[1].schema.$ref) return;
		const seen = entry[1];
		const { ref, defId } = makeURI(entry);
		seen.def = { ...seen.schema };
		if (defId) seen.defId = defId;
		const schema = seen.schema;
		for (const key in schema) delete schema[key];
		schema.$ref = ref;
	};
	if (ctx.cycles === "throw") for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (seen.cycle) throw new Error(`Cycle detected: #/${seen.cycle?.join("/")}/<root>

Set the \`cycles\` parameter to \`"ref"\` to resolve cyclical schemas with defs.`);
	}
	for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (schema === entry[0]) {
			extractToDef(entry);
			continue;
		}
		if (ctx.external) {
			const ext = ctx.external.registry.get(entry[0])?.id;
			if (schema !== entry[0] && ext) {
				extractToDef(entry);
				continue;
			}
		}
		if (ctx.metadataRegistry.get(entry[0])?.id) {
			extractToDef(entry);
			continue;
		}
		if (seen.cycle) {
			extractToDef(entry);
			continue;
		}
		if (seen.count > 1) {
			if (ctx.reused === "ref") extractToDef(entry);
		}
	}
	if (ctx.external) ctx.sharedDefsExtractedFor = ctx.external;
}
/** Rewrites `anyOf: [{type: "a"}, {type: "b"}]` to `type: ["a", "b"]`, which every JSON Schema draft treats as equivalent and most consumers render far better for the nullable case. Only branches that are a bare type assertion qualify — anything carrying a constraint, `$ref`, `const` or metadata is left alone. Runs after `flattenRef`, so a branch an override decorated or `$defs` extraction turned into a `$ref` is no longer bare and correctly stays in `anyOf`. `oneOf` is excluded: `integer` and `number` overlap, so "exactly one" and "at least one" are not the same there. OpenAPI 3.0 is excluded: its `type` must be a single string. */
function compactTypeUnion(schema) {
	const options = schema.anyOf;
	if (!Array.isArray(options) || options.length === 0 || schema.type !== void 0) return;
	const types = [];
	for (const option of options) {
		if (!option || typeof option !== "object") return;
		compactTypeUnion(option);
		const keys = Object.keys(option);
		if (keys.length !== 1 || keys[0] !== "type") return;
		const type = option.type;
		for (const member of Array.isArray(type) ? type : [type]) {
			if (typeof member !== "string") return;
			if (!types.includes(member)) types.push(member);
		}
	}
	delete schema.anyOf;
	schema.type = types.length === 1 ? types[0] : types;
}
/** Keywords `foldIntersection` knows how to combine. Anything else — `$ref`, `patternProperties`,
* an annotation like `description` — makes a member unfoldable, so a constraint this does not
* understand leaves the `allOf` alone instead of being silently dropped or misattributed. */
var FOLDABLE_KEYS = /* @__PURE__ */ new Set([
	"type",
	"properties",
	"required",
	"additionalProperties"
]);
var UNION_KEYS = ["oneOf", "anyOf"];
/** A member's constraint on a key it does not declare itself. A `catchall` states one; `false`, an absent `additionalProperties`, and the empty schema a loose object emits state nothing. */
function undeclaredConstraint(member) {
	const extra = member.additionalProperties;
	if (extra === void 0 || extra === false || typeof extra !== "object" || extra === null) return null;
	return Object.keys(extra).length ? extra : null;
}
/** Combines object members into the single object they describe together, or returns `null` if any of them carries a keyword outside {@link FOLDABLE_KEYS}. */
function foldObjects(members) {
	const objects = [];
	for (const member of members) {
		if (typeof member !== "object" || member.type !== "object") return null;
		for (const key in member) if (!FOLDABLE_KEYS.has(key)) return null;
		objects.push(member);
	}
	const properties = {};
	const required = /* @__PURE__ */ new Set();
	for (const object of objects) {
		for (const key in object.properties) {
			if (Object.prototype.hasOwnProperty.call(properties, key)) continue;
			const parts = [];
			for (const other of objects) {
				const part = other.properties?.[key] ?? undeclaredConstraint(other);
				if (part === null || part === void 0) continue;
				if (!parts.some((seen) => JSON.stringify(seen) === JSON.stringify(part))) parts.push(part);
			}
			assignProp(properties, key, parts.length === 1 ? parts[0] : foldObjects(parts) ?? { allOf: parts });
		}
		for (const key of object.required ?? []) required.add(key);
	}
	const folded = {
		type: "object",
		properties
	};
	if (required.size) folded.required = [...required];
	if (objects.every((object) => object.additionalProperties === false)) folded.additionalProperties = false;
	else {
		const constraints = [];
		for (const object of objects) {
			const constraint = undeclaredConstraint(object);
			if (constraint && !constraints.some((seen) => JSON.stringify(seen) === JSON.stringify(constraint))) constraints.push(constraint);
		}
		if (constraints.length === 1) folded.additionalProperties = constraints[0];
		else if (constraints.length > 1) folded.additionalProperties = { allOf: constraints };
	}
	return folded;
}
/** `additionalProperties` in an `allOf` member sees only that member's own `properties`, so two
* closed object members reject each other's keys and the schema validates nothing. Zod's parser
* pools the key sets instead — `handleIntersectionResults` reports a key as unrecognized only when
* *every* side rejects it — so the emitted schema has to pool them too, and folding the members
* into one object is the encoding that says so on every target.
*
* This runs from `finalize`, after `extractDefs`, which is what keeps it clear of the `$ref`
* machinery: a member extracted into `$defs` is already a `$ref` by now and declines to fold, so it
* keeps its reference and its own closedness rather than being inlined as a stale copy. */
function foldIntersection(json) {
	const allOf = json.allOf;
	if (!Array.isArray(allOf) || allOf.length < 2) return;
	for (const key of FOLDABLE_KEYS) if (key in json) return;
	const unions = allOf.filter((m) => UNION_KEYS.some((k) => Array.isArray(m[k])));
	let folded = null;
	if (!unions.length) folded = foldObjects(allOf);
	else {
		const union = unions[0];
		const keyword = UNION_KEYS.find((k) => Array.isArray(union[k]));
		if (Object.keys(union).length !== 1) return;
		const rest = allOf.filter((m) => m !== union);
		const branches = union[keyword].map((branch) => foldObjects([...rest, branch]));
		if (branches.some((b) => !b)) return;
		folded = { [keyword]: branches };
	}
	if (!folded) return;
	delete json.allOf;
	assignProps(json, folded);
}
function finalize(ctx, schema) {
	const root = ctx.seen.get(schema);
	if (!root) throw new Error("Unprocessed schema. This is a bug in Zod.");
	const flattenRef = (zodSchema) => {
		const seen = ctx.seen.get(zodSchema);
		if (seen.ref === null) return;
		const schema = seen.def ?? seen.schema;
		const _cached = { ...schema };
		const ref = seen.ref;
		seen.ref = null;
		if (ref) {
			flattenRef(ref);
			const refSeen = ctx.seen.get(ref);
			const refSchema = refSeen.schema;
			if (refSchema.$ref && (ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0")) {
				schema.allOf = schema.allOf ?? [];
				schema.allOf.push(refSchema);
			} else assignProps(schema, refSchema);
			assignProps(schema, _cached);
			if (zodSchema._zod.parent === ref) for (const key in schema) {
				if (key === "$ref" || key === "allOf") continue;
				if (!(key in _cached)) delete schema[key];
			}
			if (refSchema.$ref && refSeen.def) for (const key in schema) {
				if (key === "$ref" || key === "allOf") continue;
				if (key in refSeen.def && JSON.stringify(schema[key]) === JSON.stringify(refSeen.def[key])) delete schema[key];
			}
		}
		const parent = zodSchema._zod.parent;
		if (parent && parent !== ref) {
			flattenRef(parent);
			const parentSeen = ctx.seen.get(parent);
			if (parentSeen?.schema.$ref) {
				schema.$ref = parentSeen.schema.$ref;
				if (parentSeen.def) for (const key in schema) {
					if (key === "$ref" || key === "allOf") continue;
					if (key in parentSeen.def && JSON.stringify(schema[key]) === JSON.stringify(parentSeen.def[key])) delete schema[key];
				}
			}
		}
		ctx.override({
			zodSchema,
			jsonSchema: schema,
			path: seen.path ?? []
		});
	};
	if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) {
		for (const entry of [...ctx.seen.entries()].reverse()) flattenRef(entry[0]);
		if (ctx.target !== "openapi-3.0") for (const entry of ctx.seen.entries()) compactTypeUnion(entry[1].def ?? entry[1].schema);
		for (const rewrite of ctx.deferred) rewrite();
		if (ctx.intersections.length) {
			const carriers = /* @__PURE__ */ new Map();
			for (const seen of ctx.seen.values()) for (const json of [seen.schema, seen.def]) {
				const allOf = json?.allOf;
				if (!Array.isArray(allOf)) continue;
				const existing = carriers.get(allOf);
				if (existing) existing.push(json);
				else carriers.set(allOf, [json]);
			}
			for (const allOf of ctx.intersections) for (const json of carriers.get(allOf) ?? []) foldIntersection(json);
		}
	}
	const result = {};
	if (ctx.target === "draft-2020-12") result.$schema = "https://json-schema.org/draft/2020-12/schema";
	else if (ctx.target === "draft-07") result.$schema = "http://json-schema.org/draft-07/schema#";
	else if (ctx.target === "draft-04") result.$schema = "http://json-schema.org/draft-04/schema#";
	else if (ctx.target === "openapi-3.0") {}
	if (ctx.external?.uri) {
		const id = ctx.external.registry.get(schema)?.id;
		if (!id) throw new Error("Schema is missing an `id` property");
		result.$id = ctx.external.uri(id);
	}
	assignProps(result, root.defId ? root.schema : root.def ?? root.schema);
	const rootMetaId = ctx.metadataRegistry.get(schema)?.id;
	if (rootMetaId !== void 0 && result.id === rootMetaId) delete result.id;
	const defs = ctx.external?.defs ?? {};
	if (!ctx.external || ctx.sharedEmitDoneFor !== ctx.external) for (const entry of ctx.seen.entries()) {
		const seen = entry[1];
		if (seen.def && seen.defId) {
			if (seen.def.id === seen.defId) delete seen.def.id;
			assignProp(defs, seen.defId, seen.def);
		}
	}
	if (ctx.external) ctx.sharedEmitDoneFor = ctx.external;
	if (ctx.external) {} else if (Object.keys(defs).length > 0) {
		if (ctx.target === "draft-2020-12") result.$defs = defs;
		else result.definitions = defs;
	}
	try {
		const finalized = JSON.parse(JSON.stringify(result));
		Object.defineProperty(finalized, "~standard", {
			value: {
				...schema["~standard"],
				jsonSchema: {
					input: createStandardJSONSchemaMethod(schema, "input", ctx.processors),
					output: createStandardJSONSchemaMethod(schema, "output", ctx.processors)
				}
			},
			enumerable: false,
			writable: false
		});
		return finalized;
	} catch (_err) {
		throw new Error("Error converting schema to JSON.");
	}
}
function isTransforming(_schema, _ctx) {
	const ctx = _ctx ?? { seen: /* @__PURE__ */ new Set() };
	if (ctx.seen.has(_schema)) return false;
	ctx.seen.add(_schema);
	const def = _schema._zod.def;
	if (def.type === "transform") return true;
	if (def.type === "array") return isTransforming(def.element, ctx);
	if (def.type === "set") return isTransforming(def.valueType, ctx);
	if (def.type === "lazy") return isTransforming(def.getter(), ctx);
	if (def.type === "promise" || def.type === "optional" || def.type === "nonoptional" || def.type === "nullable" || def.type === "readonly" || def.type === "default" || def.type === "prefault" || def.type === "catch") return isTransforming(def.innerType, ctx);
	if (def.type === "intersection") return isTransforming(def.left, ctx) || isTransforming(def.right, ctx);
	if (def.type === "record" || def.type === "map") return isTransforming(def.keyType, ctx) || isTransforming(def.valueType, ctx);
	if (def.type === "pipe") {
		if (_schema._zod.traits.has("$ZodCodec")) return true;
		return isTransforming(def.in, ctx) || isTransforming(def.out, ctx);
	}
	if (def.type === "object") {
		for (const key in def.shape) if (isTransforming(def.shape[key], ctx)) return true;
		return false;
	}
	if (def.type === "union") {
		for (const option of def.options) if (isTransforming(option, ctx)) return true;
		return false;
	}
	if (def.type === "tuple") {
		for (const item of def.items) if (isTransforming(item, ctx)) return true;
		if (def.rest && isTransforming(def.rest, ctx)) return true;
		return false;
	}
	return false;
}
/**
* Creates a toJSONSchema method for a schema instance.
* This encapsulates the logic of initializing context, processing, extracting defs, and finalizing.
*/
var createToJSONSchemaMethod = (schema, processors = {}) => (params) => {
	const ctx = initializeContext({
		...params,
		processors
	});
	processSchema(schema, ctx);
	extractDefs(ctx, schema);
	return finalize(ctx, schema);
};
var createStandardJSONSchemaMethod = (schema, io, processors = {}) => (params) => {
	const { libraryOptions, target } = params ?? {};
	const ctx = initializeContext({
		...libraryOptions ?? {},
		target,
		io,
		processors
	});
	processSchema(schema, ctx);
	extractDefs(ctx, schema);
	return finalize(ctx, schema);
};
// node_modules/zod/v4/core/json-schema-processors.js
var narrowMin = (agg, key, value) => {
	if (agg[key] === void 0 || value > agg[key]) agg[key] = value;
};
var narrowMax = (agg, key, value) => {
	if (agg[key] === void 0 || value < agg[key]) agg[key] = value;
};
var narrowBoth = (agg, value) => {
	narrowMin(agg, "minimum", value);
	narrowMax(agg, "maximum", value);
};
var addDivisor = (agg, value) => {
	agg.multipleOf ?? (agg.multipleOf = []);
	if (!agg.multipleOf.includes(value)) agg.multipleOf.push(value);
};
var addPattern = (agg, pattern) => {
	agg.patterns ?? (agg.patterns = /* @__PURE__ */ new Set());
	agg.patterns.add(pattern);
};
var intersectMime = (agg, mime) => {
	agg.mime = agg.mime ? agg.mime.filter((m) => mime.includes(m)) : [...mime];
};
var setFormat = (agg, format) => {
	agg.format = format;
	if (format.includes("int")) agg.isInt = true;
};
var minContributor = (agg, def) => narrowMin(agg, "minimum", def.minimum);
var maxContributor = (agg, def) => narrowMax(agg, "maximum", def.maximum);
var formatContributor = (ranges) => (agg, def) => {
	setFormat(agg, def.format);
	const [minimum, maximum] = ranges[def.format];
	narrowMin(agg, "minimum", minimum);
	narrowMax(agg, "maximum", maximum);
};
var contributors = {
	greater_than: (agg, def) => narrowMin(agg, def.inclusive ? "minimum" : "exclusiveMinimum", def.value),
	less_than: (agg, def) => narrowMax(agg, def.inclusive ? "maximum" : "exclusiveMaximum", def.value),
	multiple_of: (agg, def) => addDivisor(agg, def.value),
	number_format: formatContributor(NUMBER_FORMAT_RANGES),
	bigint_format: formatContributor(BIGINT_FORMAT_RANGES),
	min_length: minContributor,
	max_length: maxContributor,
	length_equals: (agg, def) => narrowBoth(agg, def.length),
	min_size: minContributor,
	max_size: maxContributor,
	size_equals: (agg, def) => narrowBoth(agg, def.size),
	string_format: (agg, def) => {
		setFormat(agg, def.format);
		if (def.pattern) addPattern(agg, def.pattern);
		if (def.format === "base64" || def.format === "base64url") agg.contentEncoding = def.format;
		if (def.local || def.precision === -1) agg.laxFormat = true;
	},
	mime_type: (agg, def) => intersectMime(agg, def.mime)
};
function aggregateChecks(schema) {
	const agg = {};
	const def = schema._zod.def;
	const list = schema._zod.traits.has("$ZodCheck") ? [schema, ...def.checks ?? []] : def.checks ?? [];
	for (const ch of list) contributors[ch._zod.def.check]?.(agg, ch._zod.def);
	const bag = schema._zod.bag;
	if (bag.minimum !== void 0) narrowMin(agg, "minimum", bag.minimum);
	if (bag.exclusiveMinimum !== void 0) narrowMin(agg, "exclusiveMinimum", bag.exclusiveMinimum);
	if (bag.maximum !== void 0) narrowMax(agg, "maximum", bag.maximum);
	if (bag.exclusiveMaximum !== void 0) narrowMax(agg, "exclusiveMaximum", bag.exclusiveMaximum);
	if (bag.multipleOf !== void 0) addDivisor(agg, bag.multipleOf);
	if (bag.format !== void 0) {
		agg.format ?? (agg.format = bag.format);
		if (bag.format.includes("int")) agg.isInt = true;
	}
	if (bag.mime) intersectMime(agg, bag.mime);
	for (const pattern of bag.patterns ?? []) addPattern(agg, pattern);
	return agg;
}
var formatMap = {
	guid: "uuid",
	url: "uri",
	datetime: "date-time",
	json_string: "json-string",
	regex: ""
};
var exactPatterns = /* @__PURE__ */ new Map([[base64Charset, base64], [base64urlCharset, base64url]]);
var exactPattern = (p) => exactPatterns.get(p) ?? p;
var stringProcessor = (schema, ctx, _json, _params) => {
	const json = _json;
	json.type = "string";
	const { minimum, maximum, format, patterns, contentEncoding, laxFormat } = aggregateChecks(schema);
	if (typeof minimum === "number") json.minLength = minimum;
	if (typeof maximum === "number") json.maxLength = maximum;
	if (format) {
		json.format = formatMap[format] ?? format;
		if (json.format === "") delete json.format;
		if (format === "time" || laxFormat) delete json.format;
	}
	if (contentEncoding) json.contentEncoding = contentEncoding;
	if (patterns && patterns.size > 0) {
		const patternList = [...patterns].map(exactPattern);
		if (patternList.length === 1) json.pattern = patternList[0].source;
		else if (patternList.length > 1) json.allOf = [...patternList.map((regex) => ({
			...ctx.target === "draft-07" || ctx.target === "draft-04" || ctx.target === "openapi-3.0" ? { type: "string" } : {},
			pattern: regex.source
		}))];
	}
};
var numberProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const { minimum, maximum, multipleOf, exclusiveMaximum, exclusiveMinimum, isInt } = aggregateChecks(schema);
	json.type = isInt ? "integer" : "number";
	const exMin = typeof exclusiveMinimum === "number" && exclusiveMinimum >= (minimum ?? Number.NEGATIVE_INFINITY);
	const exMax = typeof exclusiveMaximum === "number" && exclusiveMaximum <= (maximum ?? Number.POSITIVE_INFINITY);
	const legacy = ctx.target === "draft-04" || ctx.target === "openapi-3.0";
	if (exMin) {
		if (legacy) {
			json.minimum = exclusiveMinimum;
			json.exclusiveMinimum = true;
		} else json.exclusiveMinimum = exclusiveMinimum;
	} else if (typeof minimum === "number") json.minimum = minimum;
	if (exMax) {
		if (legacy) {
			json.maximum = exclusiveMaximum;
			json.exclusiveMaximum = true;
		} else json.exclusiveMaximum = exclusiveMaximum;
	} else if (typeof maximum === "number") json.maximum = maximum;
	if (multipleOf) {
		const divisors = /* @__PURE__ */ new Set();
		for (const divisor of multipleOf) if (Number.isFinite(divisor) && divisor !== 0) divisors.add(Math.abs(divisor));
		else handleUnrepresentable(schema, ctx, json, params, `A multipleOf divisor of ${divisor} cannot be represented in JSON Schema`);
		const [first, ...rest] = divisors;
		if (first !== void 0) json.multipleOf = first;
		if (rest.length) json.allOf = [...json.allOf ?? [], ...rest.map((m) => ({ multipleOf: m }))];
	}
};
var neverProcessor = (_schema, _ctx, json, _params) => {
	json.not = {};
};
var enumProcessor = (schema, _ctx, json, _params) => {
	const def = schema._zod.def;
	const values = getEnumValues(def.entries);
	if (values.length === 0) {
		json.not = {};
		return;
	}
	if (values.every((v) => typeof v === "number")) json.type = "number";
	if (values.every((v) => typeof v === "string")) json.type = "string";
	json.enum = values;
};
var customProcessor = (schema, ctx, json, params) => {
	handleUnrepresentable(schema, ctx, json, params, "Custom types cannot be represented in JSON Schema");
};
var transformProcessor = (schema, ctx, json, params) => {
	handleUnrepresentable(schema, ctx, json, params, "Transforms cannot be represented in JSON Schema");
};
var arrayProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	const { minimum, maximum } = aggregateChecks(schema);
	if (typeof minimum === "number") json.minItems = minimum;
	if (typeof maximum === "number") json.maxItems = maximum;
	json.type = "array";
	json.items = processSchema(def.element, ctx, {
		...params,
		path: [...params.path, "items"]
	});
};
function inputOptin(schema) {
	const def = schema._zod.def;
	if (def.type === "pipe" && def.in._zod.traits.has("$ZodTransform")) return inputOptin(def.out);
	if (def.type === "catch") return inputOptin(def.innerType);
	return schema._zod.optin;
}
var objectProcessor = (schema, ctx, _json, params) => {
	const json = _json;
	const def = schema._zod.def;
	const shape = def.shape;
	if (Object.getOwnPropertySymbols(shape).length && handleUnrepresentable(schema, ctx, json, params, "Symbol keys cannot be represented in JSON Schema")) return;
	json.type = "object";
	json.properties = {};
	for (const key in shape) assignProp(json.properties, key, processSchema(shape[key], ctx, {
		...params,
		path: [
			...params.path,
			"properties",
			key
		]
	}));
	const requiredKeys = [];
	for (const key of Object.keys(shape)) {
		const field = def.shape[key];
		if (ctx.io === "input" ? inputOptin(field) === void 0 : field._zod.optout === void 0) requiredKeys.push(key);
	}
	if (requiredKeys.length > 0) json.required = requiredKeys;
	if (def.catchall?._zod.def.type === "never") json.additionalProperties = false;
	else if (!def.catchall) {
		if (ctx.io === "output") json.additionalProperties = false;
	} else if (def.catchall) json.additionalProperties = processSchema(def.catchall, ctx, {
		...params,
		path: [...params.path, "additionalProperties"]
	});
};
var unionProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const isExclusive = def.inclusive === false;
	const options = def.options.map((x, i) => processSchema(x, ctx, {
		...params,
		path: [
			...params.path,
			isExclusive ? "oneOf" : "anyOf",
			i
		]
	}));
	if (isExclusive) json.oneOf = options;
	else json.anyOf = options;
};
var intersectionProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const a = processSchema(def.left, ctx, {
		...params,
		path: [
			...params.path,
			"allOf",
			0
		]
	});
	const b = processSchema(def.right, ctx, {
		...params,
		path: [
			...params.path,
			"allOf",
			1
		]
	});
	const isSimpleIntersection = (val) => "allOf" in val && Object.keys(val).length === 1;
	const allOf = [...isSimpleIntersection(a) ? a.allOf : [a], ...isSimpleIntersection(b) ? b.allOf : [b]];
	json.allOf = allOf;
	ctx.intersections.push(allOf);
};
var nullableProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	const inner = processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	if (ctx.target === "openapi-3.0") {
		seen.ref = def.innerType;
		json.nullable = true;
	} else json.anyOf = [inner, { type: "null" }];
};
var nonoptionalProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
};
/** Round-trips a default value through JSON so the emitted schema is guaranteed to be valid JSON.
* A BigInt has no reliable encoding, so it goes through `unrepresentable` like any other
* unrepresentable value. Returns a sentinel when the caller must not write a default of its own. */
var UNREPRESENTABLE_DEFAULT = Symbol();
function serializeDefaultValue(value, schema, ctx, json, params) {
	let unrepresentable = false;
	const serialized = JSON.stringify(value, (_, val) => {
		if (typeof val !== "bigint") return val;
		unrepresentable = true;
		return null;
	});
	if (!unrepresentable) return JSON.parse(serialized);
	handleUnrepresentable(schema, ctx, json, params, "BigInt defaults cannot be represented in JSON Schema");
	return UNREPRESENTABLE_DEFAULT;
}
var defaultProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
	if (value !== UNREPRESENTABLE_DEFAULT) json.default = value;
};
var prefaultProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	if (ctx.io !== "input") return;
	const value = serializeDefaultValue(def.defaultValue, schema, ctx, json, params);
	if (value !== UNREPRESENTABLE_DEFAULT) json._prefault = value;
};
var catchProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	let catchValue;
	try {
		catchValue = def.catchValue(void 0);
	} catch {
		handleUnrepresentable(schema, ctx, json, params, "Dynamic catch values are not supported in JSON Schema");
		return;
	}
	json.default = catchValue;
};
var pipeProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	const inIsTransform = def.in._zod.traits.has("$ZodTransform");
	const innerType = ctx.io === "input" ? inIsTransform ? def.out : def.in : def.out;
	processSchema(innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = innerType;
};
var readonlyProcessor = (schema, ctx, json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
	json.readOnly = true;
};
var optionalProcessor = (schema, ctx, _json, params) => {
	const def = schema._zod.def;
	processSchema(def.innerType, ctx, params);
	const seen = ctx.seen.get(schema);
	seen.ref = def.innerType;
};
// node_modules/zod/v4/classic/errors.js
var _installedErrorProtos = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
function _lazyMethod(proto, key, make) {
	Object.defineProperty(proto, key, {
		configurable: true,
		enumerable: false,
		get() {
			const value = make(this);
			Object.defineProperty(this, key, {
				value,
				configurable: true,
				writable: true
			});
			return value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				value,
				configurable: true,
				writable: true
			});
		}
	});
}
var initializer = (inst, issues) => {
	$ZodError.init(inst, issues);
	inst.name = "ZodError";
	const proto = Object.getPrototypeOf(inst);
	if (_installedErrorProtos.has(proto)) return;
	_installedErrorProtos.add(proto);
	_lazyMethod(proto, "format", (self) => (mapper) => formatError(self, mapper));
	_lazyMethod(proto, "flatten", (self) => (mapper) => flattenError(self, mapper));
	_lazyMethod(proto, "addIssue", (self) => (issue) => {
		self.issues.push(issue);
		self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
	});
	_lazyMethod(proto, "addIssues", (self) => (issues) => {
		self.issues.push(...issues);
		self.message = JSON.stringify(self.issues, jsonStringifyReplacer, 2);
	});
	Object.defineProperty(proto, "isEmpty", {
		configurable: true,
		enumerable: false,
		get() {
			return this.issues.length === 0;
		}
	});
};
var ZodRealError = /*@__PURE__*/ $constructor("ZodError", initializer, void 0, { Parent: Error });
// node_modules/zod/v4/classic/parse.js
var parse = /* @__PURE__ */ _parse(ZodRealError);
var parseAsync = /* @__PURE__ */ _parseAsync(ZodRealError);
var safeParse = /* @__PURE__ */ _safeParse(ZodRealError);
var safeParseAsync = /* @__PURE__ */ _safeParseAsync(ZodRealError);
var encode = /* @__PURE__ */ _encode(ZodRealError);
var decode = /* @__PURE__ */ _decode(ZodRealError);
var encodeAsync = /* @__PURE__ */ _encodeAsync(ZodRealError);
var decodeAsync = /* @__PURE__ */ _decodeAsync(ZodRealError);
var safeEncode = /* @__PURE__ */ _safeEncode(ZodRealError);
var safeDecode = /* @__PURE__ */ _safeDecode(ZodRealError);
var safeEncodeAsync = /* @__PURE__ */ _safeEncodeAsync(ZodRealError);
var safeDecodeAsync = /* @__PURE__ */ _safeDecodeAsync(ZodRealError);
// node_modules/zod/v4/classic/schemas.js
function _ensureDefaultLocale() {
	if (!globalConfig.localeError) config(en_default());
}
function _ensureDefaultMemoizer() {
	if (!globalConfig.memoizer) config({ memoizer: memoizer() });
}
var ZodType = /*@__PURE__*/ $constructor("ZodType", (inst, def) => {
	_ensureDefaultLocale();
	$ZodType.init(inst, def);
	inst.def = def;
	inst.type = def.type;
	return inst;
}, {
	check(...chks) {
		const def = this.def;
		return this.clone(mergeDefs(def, { checks: [...def.checks ?? [], ...chks.map((ch) => typeof ch === "function" ? { _zod: {
			check: ch,
			def: { check: "custom" },
			onattach: []
		} } : ch)] }), { parent: true });
	},
	with(...chks) {
		return this.check(...chks);
	},
	clone(def, params) {
		return clone(this, def, params);
	},
	brand() {
		return this;
	},
	register(reg, meta) {
		reg.add(this, meta);
		return this;
	},
	refine(check, params) {
		return this.check(refine(check, params));
	},
	superRefine(refinement, params) {
		return this.check(superRefine(refinement, params));
	},
	overwrite(fn) {
		return this.check(/* @__PURE__ */ _overwrite(fn));
	},
	optional() {
		return optional(this);
	},
	exactOptional() {
		return exactOptional(this);
	},
	nullable() {
		return nullable(this);
	},
	nullish() {
		return optional(nullable(this));
	},
	nonoptional(params) {
		return nonoptional(this, params);
	},
	array() {
		return array(this);
	},
	or(arg) {
		return union([this, arg]);
	},
	and(arg) {
		return intersection(this, arg);
	},
	transform(tx) {
		return pipe(this, transform(tx));
	},
	default(d) {
		return _default(this, d);
	},
	prefault(d) {
		return prefault(this, d);
	},
	catch(params) {
		return _catch(this, params);
	},
	pipe(target) {
		return pipe(this, target);
	},
	readonly() {
		return readonly(this);
	},
	describe(description) {
		const cl = this.clone();
		globalRegistry.add(cl, { description });
		return cl;
	},
	meta(...args) {
		if (args.length === 0) return globalRegistry.get(this);
		const cl = this.clone();
		globalRegistry.add(cl, args[0]);
		return cl;
	},
	isOptional() {
		return this.safeParse(void 0).success;
	},
	isNullable() {
		return this.safeParse(null).success;
	},
	apply(fn, ...args) {
		return args.length === 0 ? fn(this) : fn(this, ...args);
	},
	get "~standard"() {
		return hide(this, "~standard", {
			...standardProps(this),
			jsonSchema: {
				input: createStandardJSONSchemaMethod(this, "input"),
				output: createStandardJSONSchemaMethod(this, "output")
			}
		});
	},
	set "~standard"(value) {
		own(this, "~standard", value);
	},
	parse: function _parse(data, params) {
		return parse(this, data, params, { callee: _parse });
	},
	parseAsync: async function _parseAsync(data, params) {
		return await parseAsync(this, data, params, { callee: _parseAsync });
	},
	safeParse(data, params) {
		return safeParse(this, data, params);
	},
	async safeParseAsync(data, params) {
		return safeParseAsync(this, data, params);
	},
	get spa() {
		return this?.safeParseAsync;
	},
	set spa(value) {
		own(this, "spa", value);
	},
	validate(data, params) {
		return validate(this, data, params);
	},
	validateAsync(data, params) {
		return validateAsync$1(this, data, params);
	},
	encode: function _encode(data, params) {
		return encode(this, data, params, { callee: _encode });
	},
	decode: function _decode(data, params) {
		return decode(this, data, params, { callee: _decode });
	},
	encodeAsync: async function _encodeAsync(data, params) {
		return await encodeAsync(this, data, params, { callee: _encodeAsync });
	},
	decodeAsync: async function _decodeAsync(data, params) {
		return await decodeAsync(this, data, params, { callee: _decodeAsync });
	},
	safeEncode(data, params) {
		return safeEncode(this, data, params);
	},
	safeDecode(data, params) {
		return safeDecode(this, data, params);
	},
	async safeEncodeAsync(data, params) {
		return safeEncodeAsync(this, data, params);
	},
	async safeDecodeAsync(data, params) {
		return safeDecodeAsync(this, data, params);
	},
	toJSONSchema(params) {
		return createToJSONSchemaMethod(this, {})(params);
	},
	get description() {
		return globalRegistry.get(this)?.description;
	},
	get _def() {
		return this._zod.def;
	}
});
/** @internal */
var _ZodString = /*@__PURE__*/ $constructor("_ZodString", (inst, def) => {
	$ZodString.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => stringProcessor(inst, ctx, json, params);
}, /*@__PURE__*/ derived({
	format: (inst) => aggregateChecks(inst).format ?? null,
	minLength: (inst) => aggregateChecks(inst).minimum ?? null,
	maxLength: (inst) => aggregateChecks(inst).maximum ?? null
}, {
	regex(...args) {
		return this.check(/* @__PURE__ */ _regex(...args));
	},
	includes(...args) {
		return this.check(/* @__PURE__ */ _includes(...args));
	},
	startsWith(...args) {
		return this.check(/* @__PURE__ */ _startsWith(...args));
	},
	endsWith(...args) {
		return this.check(/* @__PURE__ */ _endsWith(...args));
	},
	min(...args) {
		return this.check(/* @__PURE__ */ _minLength(...args));
	},
	max(...args) {
		return this.check(/* @__PURE__ */ _maxLength(...args));
	},
	length(...args) {
		return this.check(/* @__PURE__ */ _length(...args));
	},
	nonempty(...args) {
		return this.check(/* @__PURE__ */ _minLength(1, ...args));
	},
	lowercase(params) {
		return this.check(/* @__PURE__ */ _lowercase(params));
	},
	uppercase(params) {
		return this.check(/* @__PURE__ */ _uppercase(params));
	},
	trim() {
		return this.check(/* @__PURE__ */ _trim());
	},
	normalize(...args) {
		return this.check(/* @__PURE__ */ _normalize(...args));
	},
	toLowerCase() {
		return this.check(/* @__PURE__ */ _toLowerCase());
	},
	toUpperCase() {
		return this.check(/* @__PURE__ */ _toUpperCase());
	},
	slugify() {
		return this.check(/* @__PURE__ */ _slugify());
	}
}));
var ZodString = /*@__PURE__*/ $constructor("ZodString", (inst, def) => {
	$ZodString.init(inst, def);
	_ZodString.init(inst, def);
}, {
	email(params) {
		return this.check(/* @__PURE__ */ _email(ZodEmail, params));
	},
	url(params) {
		return this.check(/* @__PURE__ */ _url(ZodURL, params));
	},
	jwt(params) {
		return this.check(/* @__PURE__ */ _jwt(ZodJWT, params));
	},
	emoji(params) {
		return this.check(/* @__PURE__ */ _emoji(ZodEmoji, params));
	},
	guid(params) {
		return this.check(/* @__PURE__ */ _guid(ZodGUID, params));
	},
	uuid(params) {
		return this.check(/* @__PURE__ */ _uuid(ZodUUID, params));
	},
	uuidv4(params) {
		return this.check(/* @__PURE__ */ _uuidv4(ZodUUID, params));
	},
	uuidv6(params) {
		return this.check(/* @__PURE__ */ _uuidv6(ZodUUID, params));
	},
	uuidv7(params) {
		return this.check(/* @__PURE__ */ _uuidv7(ZodUUID, params));
	},
	nanoid(params) {
		return this.check(/* @__PURE__ */ _nanoid(ZodNanoID, params));
	},
	cuid(params) {
		return this.check(/* @__PURE__ */ _cuid(ZodCUID, params));
	},
	cuid2(params) {
		return this.check(/* @__PURE__ */ _cuid2(ZodCUID2, params));
	},
	ulid(params) {
		return this.check(/* @__PURE__ */ _ulid(ZodULID, params));
	},
	base64(params) {
		return this.check(/* @__PURE__ */ _base64(ZodBase64, params));
	},
	base64url(params) {
		return this.check(/* @__PURE__ */ _base64url(ZodBase64URL, params));
	},
	xid(params) {
		return this.check(/* @__PURE__ */ _xid(ZodXID, params));
	},
	ksuid(params) {
		return this.check(/* @__PURE__ */ _ksuid(ZodKSUID, params));
	},
	ipv4(params) {
		return this.check(/* @__PURE__ */ _ipv4(ZodIPv4, params));
	},
	ipv6(params) {
		return this.check(/* @__PURE__ */ _ipv6(ZodIPv6, params));
	},
	cidrv4(params) {
		return this.check(/* @__PURE__ */ _cidrv4(ZodCIDRv4, params));
	},
	cidrv6(params) {
		return this.check(/* @__PURE__ */ _cidrv6(ZodCIDRv6, params));
	},
	e164(params) {
		return this.check(/* @__PURE__ */ _e164(ZodE164, params));
	},
	datetime(params) {
		return this.check(/* @__PURE__ */ _isoDateTime(ZodISODateTime, params));
	},
	date(params) {
		return this.check(/* @__PURE__ */ _isoDate(ZodISODate, params));
	},
	time(params) {
		return this.check(/* @__PURE__ */ _isoTime(ZodISOTime, params));
	},
	duration(params) {
		return this.check(/* @__PURE__ */ _isoDuration(ZodISODuration, params));
	}
});
function string(params) {
	return /* @__PURE__ */ _string(ZodString, params);
}
var ZodStringFormat = /*@__PURE__*/ $constructor("ZodStringFormat", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	_ZodString.init(inst, def);
});
var ZodISODateTime = /*@__PURE__*/ $constructor("ZodISODateTime", (inst, def) => {
	$ZodISODateTime.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodISODate = /*@__PURE__*/ $constructor("ZodISODate", (inst, def) => {
	$ZodISODate.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodISOTime = /*@__PURE__*/ $constructor("ZodISOTime", (inst, def) => {
	$ZodISOTime.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodISODuration = /*@__PURE__*/ $constructor("ZodISODuration", (inst, def) => {
	$ZodISODuration.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodEmail = /*@__PURE__*/ $constructor("ZodEmail", (inst, def) => {
	$ZodEmail.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodGUID = /*@__PURE__*/ $constructor("ZodGUID", (inst, def) => {
	$ZodGUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodUUID = /*@__PURE__*/ $constructor("ZodUUID", (inst, def) => {
	$ZodUUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodURL = /*@__PURE__*/ $constructor("ZodURL", (inst, def) => {
	$ZodURL.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodEmoji = /*@__PURE__*/ $constructor("ZodEmoji", (inst, def) => {
	$ZodEmoji.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodNanoID = /*@__PURE__*/ $constructor("ZodNanoID", (inst, def) => {
	$ZodNanoID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
/**
* @deprecated CUID v1 is deprecated by its authors due to information leakage
* (timestamps embedded in the id). Use {@link ZodCUID2} instead.
* See https://github.com/paralleldrive/cuid.
*/
var ZodCUID = /*@__PURE__*/ $constructor("ZodCUID", (inst, def) => {
	$ZodCUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodCUID2 = /*@__PURE__*/ $constructor("ZodCUID2", (inst, def) => {
	$ZodCUID2.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodULID = /*@__PURE__*/ $constructor("ZodULID", (inst, def) => {
	$ZodULID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodXID = /*@__PURE__*/ $constructor("ZodXID", (inst, def) => {
	$ZodXID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodKSUID = /*@__PURE__*/ $constructor("ZodKSUID", (inst, def) => {
	$ZodKSUID.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodIPv4 = /*@__PURE__*/ $constructor("ZodIPv4", (inst, def) => {
	$ZodIPv4.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodIPv6 = /*@__PURE__*/ $constructor("ZodIPv6", (inst, def) => {
	$ZodIPv6.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodCIDRv4 = /*@__PURE__*/ $constructor("ZodCIDRv4", (inst, def) => {
	$ZodCIDRv4.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodCIDRv6 = /*@__PURE__*/ $constructor("ZodCIDRv6", (inst, def) => {
	$ZodCIDRv6.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodBase64 = /*@__PURE__*/ $constructor("ZodBase64", (inst, def) => {
	$ZodBase64.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodBase64URL = /*@__PURE__*/ $constructor("ZodBase64URL", (inst, def) => {
	$ZodBase64URL.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodE164 = /*@__PURE__*/ $constructor("ZodE164", (inst, def) => {
	$ZodE164.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodJWT = /*@__PURE__*/ $constructor("ZodJWT", (inst, def) => {
	$ZodJWT.init(inst, def);
	ZodStringFormat.init(inst, def);
});
var ZodNumber = /*@__PURE__*/ $constructor("ZodNumber", (inst, def) => {
	$ZodNumber.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => numberProcessor(inst, ctx, json, params);
	inst.isFinite = true;
}, /*@__PURE__*/ derived({
	minValue: (inst) => {
		const { minimum, exclusiveMinimum } = aggregateChecks(inst);
		return Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
	},
	maxValue: (inst) => {
		const { maximum, exclusiveMaximum } = aggregateChecks(inst);
		return Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
	},
	isInt: (inst) => {
		const { isInt, multipleOf } = aggregateChecks(inst);
		return !!isInt || !!multipleOf?.some(Number.isSafeInteger);
	},
	format: (inst) => aggregateChecks(inst).format ?? null
}, {
	gt(value, params) {
		return this.check(/* @__PURE__ */ _gt(value, params));
	},
	gte(value, params) {
		return this.check(/* @__PURE__ */ _gte(value, params));
	},
	min(value, params) {
		return this.check(/* @__PURE__ */ _gte(value, params));
	},
	lt(value, params) {
		return this.check(/* @__PURE__ */ _lt(value, params));
	},
	lte(value, params) {
		return this.check(/* @__PURE__ */ _lte(value, params));
	},
	max(value, params) {
		return this.check(/* @__PURE__ */ _lte(value, params));
	},
	int(params) {
		return this.check(int(params));
	},
	safe(params) {
		return this.check(int(params));
	},
	positive(params) {
		return this.check(/* @__PURE__ */ _gt(0, params));
	},
	nonnegative(params) {
		return this.check(/* @__PURE__ */ _gte(0, params));
	},
	negative(params) {
		return this.check(/* @__PURE__ */ _lt(0, params));
	},
	nonpositive(params) {
		return this.check(/* @__PURE__ */ _lte(0, params));
	},
	multipleOf(value, params) {
		return this.check(/* @__PURE__ */ _multipleOf(value, params));
	},
	step(value, params) {
		return this.check(/* @__PURE__ */ _multipleOf(value, params));
	},
	finite() {
		return this;
	}
}));
function number(params) {
	return /* @__PURE__ */ _number(ZodNumber, params);
}
var ZodNumberFormat = /*@__PURE__*/ $constructor("ZodNumberFormat", (inst, def) => {
	$ZodNumberFormat.init(inst, def);
	ZodNumber.init(inst, def);
});
function int(params) {
	return /* @__PURE__ */ _int(ZodNumberFormat, params);
}
var ZodUnknown = /*@__PURE__*/ $constructor("ZodUnknown", (inst, def) => {
	$ZodUnknown.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => void 0;
});
function unknown() {
	return /* @__PURE__ */ _unknown(ZodUnknown);
}
var ZodNever = /*@__PURE__*/ $constructor("ZodNever", (inst, def) => {
	$ZodNever.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => neverProcessor(inst, ctx, json, params);
});
function never(params) {
	return /* @__PURE__ */ _never(ZodNever, params);
}
var ZodArray = /*@__PURE__*/ $constructor("ZodArray", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodArray.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => arrayProcessor(inst, ctx, json, params);
	inst.element = def.element;
}, {
	min(n, params) {
		return this.check(/* @__PURE__ */ _minLength(n, params));
	},
	nonempty(params) {
		return this.check(/* @__PURE__ */ _minLength(1, params));
	},
	max(n, params) {
		return this.check(/* @__PURE__ */ _maxLength(n, params));
	},
	length(n, params) {
		return this.check(/* @__PURE__ */ _length(n, params));
	},
	unwrap() {
		return this.element;
	}
});
function array(element, params) {
	return /* @__PURE__ */ _array(ZodArray, element, params);
}
var ZodObject = /*@__PURE__*/ $constructor("ZodObject", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodObjectJIT.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => objectProcessor(inst, ctx, json, params);
	installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
}, {
	keyof() {
		return _enum(Object.keys(this._zod.def.shape));
	},
	catchall(catchall) {
		return this.clone(mergeDefs(this._zod.def, { catchall }));
	},
	passthrough() {
		return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
	},
	loose() {
		return this.clone(mergeDefs(this._zod.def, { catchall: unknown() }));
	},
	strict() {
		return this.clone(mergeDefs(this._zod.def, { catchall: never() }));
	},
	strip() {
		return this.clone(mergeDefs(this._zod.def, { catchall: void 0 }));
	},
	extend(incoming) {
		return extend(this, incoming);
	},
	safeExtend(incoming) {
		return safeExtend(this, incoming);
	},
	merge(other) {
		return merge(this, other);
	},
	pick(mask) {
		return pick(this, mask);
	},
	omit(mask) {
		return omit(this, mask);
	},
	partial(...args) {
		return partial(ZodOptional, this, args[0]);
	},
	exactPartial(...args) {
		return partial(ZodExactOptional, this, args[0], "exactPartial");
	},
	required(...args) {
		return required(ZodNonOptional, this, args[0]);
	}
});
function object(shape, params) {
	return new ZodObject({
		type: "object",
		shape: shape ?? {},
		...normalizeParams(params)
	});
}
function strictObject(shape, params) {
	return new ZodObject({
		type: "object",
		shape,
		catchall: never(),
		...normalizeParams(params)
	});
}
var ZodUnion = /*@__PURE__*/ $constructor("ZodUnion", (inst, def) => {
	$ZodUnion.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => unionProcessor(inst, ctx, json, params);
	inst.options = def.options;
});
function union(options, params) {
	return new ZodUnion({
		type: "union",
		options,
		...normalizeParams(params)
	});
}
var ZodIntersection = /*@__PURE__*/ $constructor("ZodIntersection", (inst, def) => {
	$ZodIntersection.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => intersectionProcessor(inst, ctx, json, params);
});
function intersection(left, right) {
	return new ZodIntersection({
		type: "intersection",
		left,
		right
	});
}
var ZodEnum = /*@__PURE__*/ $constructor("ZodEnum", (inst, def) => {
	$ZodEnum.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => enumProcessor(inst, ctx, json, params);
	inst.enum = def.entries;
	inst.options = [...inst._zod.values];
	const keys = new Set(Object.keys(def.entries));
	inst.extract = (values, params) => {
		const newEntries = {};
		for (const value of values) if (keys.has(value)) newEntries[value] = def.entries[value];
		else throw new Error(`Key ${value} not found in enum`);
		return new ZodEnum({
			...def,
			checks: [],
			...normalizeParams(params),
			entries: newEntries
		});
	};
	inst.exclude = (values, params) => {
		const newEntries = { ...def.entries };
		for (const value of values) if (keys.has(value)) delete newEntries[value];
		else throw new Error(`Key ${value} not found in enum`);
		return new ZodEnum({
			...def,
			checks: [],
			...normalizeParams(params),
			entries: newEntries
		});
	};
});
function _enum(values, params) {
	return new ZodEnum({
		type: "enum",
		entries: Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values,
		...normalizeParams(params)
	});
}
var ZodTransform = /*@__PURE__*/ $constructor("ZodTransform", (inst, def) => {
	_ensureDefaultMemoizer();
	$ZodTransform.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => transformProcessor(inst, ctx, json, params);
	inst._zod.parse = (payload, _ctx) => {
		if (_ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		payload.addIssue = (issue$1) => {
			if (typeof issue$1 === "string") payload.issues.push(issue(issue$1, payload.value, def));
			else {
				const _issue = issue$1;
				if (_issue.fatal) _issue.continue = false;
				_issue.code ?? (_issue.code = "custom");
				if (!("input" in _issue)) _issue.input = payload.value;
				_issue.inst ?? (_issue.inst = inst);
				payload.issues.push(issue(_issue));
			}
		};
		const output = def.transform(payload.value, payload);
		if (output instanceof Promise) return output.then((output) => {
			payload.value = output;
			return payload;
		});
		payload.value = output;
		return payload;
	};
});
function transform(fn) {
	return new ZodTransform({
		type: "transform",
		transform: fn
	});
}
var ZodOptional = /*@__PURE__*/ $constructor("ZodOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function optional(innerType) {
	return new ZodOptional({
		type: "optional",
		innerType
	});
}
var ZodExactOptional = /*@__PURE__*/ $constructor("ZodExactOptional", (inst, def) => {
	$ZodExactOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => optionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function exactOptional(innerType) {
	return new ZodExactOptional({
		type: "optional",
		innerType
	});
}
var ZodNullable = /*@__PURE__*/ $constructor("ZodNullable", (inst, def) => {
	$ZodNullable.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => nullableProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function nullable(innerType) {
	return new ZodNullable({
		type: "nullable",
		innerType
	});
}
var ZodDefault = /*@__PURE__*/ $constructor("ZodDefault", (inst, def) => {
	$ZodDefault.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => defaultProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
	inst.removeDefault = inst.unwrap;
});
function _default(innerType, defaultValue) {
	return new ZodDefault({
		type: "default",
		innerType,
		get defaultValue() {
			return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
		}
	});
}
var ZodPrefault = /*@__PURE__*/ $constructor("ZodPrefault", (inst, def) => {
	$ZodPrefault.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => prefaultProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function prefault(innerType, defaultValue) {
	return new ZodPrefault({
		type: "prefault",
		innerType,
		get defaultValue() {
			return typeof defaultValue === "function" ? defaultValue() : shallowClone(defaultValue);
		}
	});
}
var ZodNonOptional = /*@__PURE__*/ $constructor("ZodNonOptional", (inst, def) => {
	$ZodNonOptional.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => nonoptionalProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function nonoptional(innerType, params) {
	return new ZodNonOptional({
		type: "nonoptional",
		innerType,
		...normalizeParams(params)
	});
}
var ZodCatch = /*@__PURE__*/ $constructor("ZodCatch", (inst, def) => {
	$ZodCatch.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => catchProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
	inst.removeCatch = inst.unwrap;
});
function _catch(innerType, catchValue) {
	return new ZodCatch({
		type: "catch",
		innerType,
		catchValue: typeof catchValue === "function" ? catchValue : constantCatch(catchValue)
	});
}
var ZodPipe = /*@__PURE__*/ $constructor("ZodPipe", (inst, def) => {
	$ZodPipe.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => pipeProcessor(inst, ctx, json, params);
	inst.in = def.in;
	inst.out = def.out;
});
function pipe(in_, out) {
	return new ZodPipe({
		type: "pipe",
		in: in_,
		out
	});
}
var ZodReadonly = /*@__PURE__*/ $constructor("ZodReadonly", (inst, def) => {
	$ZodReadonly.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => readonlyProcessor(inst, ctx, json, params);
	inst.unwrap = () => inst._zod.def.innerType;
});
function readonly(innerType) {
	return new ZodReadonly({
		type: "readonly",
		innerType
	});
}
var ZodCustom = /*@__PURE__*/ $constructor("ZodCustom", (inst, def) => {
	$ZodCustom.init(inst, def);
	ZodType.init(inst, def);
	inst._zod.processJSONSchema = (ctx, json, params) => customProcessor(inst, ctx, json, params);
});
function custom(fn, _params) {
	return /* @__PURE__ */ _custom(ZodCustom, fn ?? (() => true), _params);
}
function refine(fn, _params = {}) {
	return /* @__PURE__ */ _refine(ZodCustom, fn, _params);
}
function superRefine(fn, params) {
	return /* @__PURE__ */ _superRefine(fn, params);
}
// node_modules/@noble/hashes/_u64.js
var U32_MASK64 = /* @__PURE__ */ (() => BigInt(2 ** 32 - 1))();
var _32n = /* @__PURE__ */ BigInt(32);
function fromBig(n, le = false) {
	if (le) return {
		h: Number(n & U32_MASK64),
		l: Number(n >> _32n & U32_MASK64)
	};
	return {
		h: Number(n >> _32n & U32_MASK64) | 0,
		l: Number(n & U32_MASK64) | 0
	};
}
function split(lst, le = false) {
	const len = lst.length;
	let Ah = new Uint32Array(len);
	let Al = new Uint32Array(len);
	for (let i = 0; i < len; i++) {
		const { h, l } = fromBig(lst[i], le);
		[Ah[i], Al[i]] = [h, l];
	}
	return [Ah, Al];
}
// node_modules/@noble/hashes/utils.js
/**
* Checks if something is Uint8Array. Be careful: nodejs Buffer will return true.
* @param a - value to test
* @returns `true` when the value is a Uint8Array-compatible view.
* @example
* Check whether a value is a Uint8Array-compatible view.
* ```ts
* isBytes(new Uint8Array([1, 2, 3]));
* ```
*/
function isBytes(a) {
	return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
var atitle = (title) => title ? `"${title}" ` : "";
/**
* Asserts something is a non-negative integer.
* @param n - number to validate
* @param title - label included in thrown errors
* @returns The validated number.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate a non-negative integer option.
* ```ts
* anumber(32, 'length');
* ```
*/
function anumber(n, title = "") {
	if (typeof n !== "number") throw new TypeError(atitle(title) + "expected number, got " + typeof n);
	if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
	return n;
}
/**
* Asserts something is a boolean.
* @param value - value to validate
* @param title - label included in thrown errors
* @returns The validated boolean.
* @throws On wrong argument types. {@link TypeError}
* @example
* Validate a boolean option.
* ```ts
* abool(true, 'enableXOF');
* ```
*/
function abool(value, title = "") {
	if (typeof value !== "boolean") throw new TypeError(atitle(title) + "expected boolean, got type=" + typeof value);
	return value;
}
/**
* Asserts something is Uint8Array.
* @param value - value to validate
* @param length - optional exact length constraint
* @param title - label included in thrown errors
* @returns The validated byte array.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate that a value is a byte array.
* ```ts
* abytes(new Uint8Array([1, 2, 3]));
* ```
*/
function abytes(value, length, title = "") {
	if (isBytes(value) && (length === void 0 || value.length === length)) return value;
	if (length !== void 0) anumber(length, "length");
	const bytes = isBytes(value);
	const ofLen = length !== void 0 ? ` of length ${length}` : "";
	const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
	const message = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
	if (!bytes) throw new TypeError(message);
	throw new RangeError(message);
}
var aobject = (value, label) => {
	if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
var aopts = (value, label) => {
	aobject(value, label);
	const proto = Object.getPrototypeOf(value);
	if (proto !== Object.prototype && proto !== null) throw new TypeError(`"${label}" expected plain object`);
	if (Object.hasOwn(value, "__proto__")) throw new TypeError(`"${label}.__proto__" is not allowed`);
};
/**
* Asserts a hash instance has not been destroyed or finished.
* @param instance - hash instance to validate
* @param checkFinished - whether to reject finalized instances
* @throws If the hash instance has already been destroyed or finalized. {@link Error}
* @example
* Validate that a hash instance is still usable.
* ```ts
* import { aexists } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const hash = sha256.create();
* aexists(hash);
* ```
*/
function aexists(instance, checkFinished = true) {
	if (instance.destroyed) throw new Error("hash was destroyed");
	if (checkFinished && instance.finished) throw new Error("digest() was already called");
}
/**
* Asserts output is a sufficiently-sized byte array.
* @param out - destination buffer
* @param instance - hash instance providing output length
* Oversized buffers are allowed; downstream code only promises to fill the first `outputLen` bytes.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Validate a caller-provided digest buffer.
* ```ts
* import { aoutput } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const hash = sha256.create();
* aoutput(new Uint8Array(hash.outputLen), hash);
* ```
*/
function aoutput(out, instance) {
	abytes(out, void 0, "output");
	const min = instance.outputLen;
	if (!(out.length >= min)) throw new RangeError("\"output\" expected length >= " + min);
}
/**
* Casts a typed array view to Uint32Array.
* `arr.byteOffset` must already be 4-byte aligned or the platform
* Uint32Array constructor will throw.
* @param arr - source typed array
* @returns Uint32Array view over the same buffer.
* @example
* Reinterpret a byte array as 32-bit words.
* ```ts
* u32(new Uint8Array(8));
* ```
*/
function u32(arr) {
	return new Uint32Array(arr.buffer, arr.byteOffset, Math.floor(arr.byteLength / 4));
}
/**
* Zeroizes typed arrays in place. Warning: JS provides no guarantees.
* @param arrays - arrays to overwrite with zeros
* @example
* Zeroize sensitive buffers in place.
* ```ts
* clean(new Uint8Array([1, 2, 3]));
* ```
*/
function clean(...arrays) {
	for (let i = 0; i < arrays.length; i++) arrays[i].fill(0);
}
/** Whether the current platform is little-endian. */
var isLE = /* @__PURE__ */ (() => new Uint8Array(new Uint32Array([287454020]).buffer)[0] === 68)();
/**
* Byte-swap operation for uint32 values.
* @param word - source word
* @returns Word with reversed byte order.
* @example
* Reverse the byte order of a 32-bit word.
* ```ts
* byteSwap(0x11223344);
* ```
*/
function byteSwap(word) {
	return word << 24 & 4278190080 | word << 8 & 16711680 | word >>> 8 & 65280 | word >>> 24 & 255;
}
/**
* Byte-swaps every word of a Uint32Array in place.
* @param arr - array to mutate
* @returns The same array after mutation; callers pass live state arrays here.
* @example
* Reverse the byte order of every word in place.
* ```ts
* byteSwap32(new Uint32Array([0x11223344]));
* ```
*/
function byteSwap32(arr) {
	for (let i = 0; i < arr.length; i++) arr[i] = byteSwap(arr[i]);
	return arr;
}
/**
* Conditionally byte-swaps a Uint32Array on big-endian platforms.
* @param u - array to normalize for host endianness
* @returns Original or byte-swapped array depending on platform endianness.
*   On big-endian runtimes this mutates `u` in place via `byteSwap32(...)`.
* @example
* Normalize a word array for host endianness.
* ```ts
* swap32IfBE(new Uint32Array([0x11223344]));
* ```
*/
var swap32IfBE = isLE ? (u) => u : byteSwap32;
var hasHexBuiltin = /* @__PURE__ */ (() => typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function")();
var hexes = /* @__PURE__ */ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
/**
* Convert byte array to hex string.
* Uses the built-in function when available and assumes it matches the tested
* fallback semantics.
* @param bytes - bytes to encode
* @returns Lowercase hexadecimal string.
* @throws On wrong argument types. {@link TypeError}
* @example
* Convert bytes to lowercase hexadecimal.
* ```ts
* bytesToHex(Uint8Array.from([0xca, 0xfe, 0x01, 0x23])); // 'cafe0123'
* ```
*/
function bytesToHex(bytes) {
	abytes(bytes);
	if (hasHexBuiltin) return bytes.toHex();
	let hex = "";
	for (let i = 0; i < bytes.length; i++) hex += hexes[bytes[i]];
	return hex;
}
function asciiToBase16(ch) {
	return ch >= 48 && ch <= 57 ? ch - 48 : ch >= 65 && ch <= 70 ? ch - 55 : ch >= 97 && ch <= 102 ? ch - 87 : void 0;
}
/**
* Convert hex string to byte array. Uses built-in function, when available.
* @param hex - hexadecimal string to decode
* @returns Decoded bytes.
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @example
* Decode lowercase hexadecimal into bytes.
* ```ts
* hexToBytes('cafe0123'); // Uint8Array.from([0xca, 0xfe, 0x01, 0x23])
* ```
*/
function hexToBytes(hex) {
	if (typeof hex !== "string") throw new TypeError("hex string expected, got " + typeof hex);
	if (hasHexBuiltin) try {
		return Uint8Array.fromHex(hex);
	} catch (error) {
		if (error instanceof SyntaxError) throw new RangeError(error.message);
		throw error;
	}
	const hl = hex.length;
	const al = hl / 2;
	if (hl % 2) throw new RangeError("hex string expected, got unpadded hex of length " + hl);
	const array = new Uint8Array(al);
	for (let ai = 0, hi = 0; ai < al; ai++, hi += 2) {
		const n1 = asciiToBase16(hex.charCodeAt(hi));
		const n2 = asciiToBase16(hex.charCodeAt(hi + 1));
		if (n1 === void 0 || n2 === void 0) {
			const char = hex[hi] + hex[hi + 1];
			throw new RangeError("hex string expected, got non-hex character \"" + char + "\" at index " + hi);
		}
		array[ai] = n1 * 16 + n2;
	}
	return array;
}
/**
* Merges default options and passed options.
* @param defaults - base option object
* @param opts - user overrides
* @param title - label included in thrown override errors
* @returns Fresh merged option object with a null prototype.
* @throws On wrong argument types. {@link TypeError}
* @example
* Merge user overrides onto default options.
* ```ts
* checkOpts({ dkLen: 32 }, { asyncTick: 10 });
* ```
*/
function checkOpts(defaults, opts, title = "opts") {
	aopts(defaults, "defaults");
	if (opts !== void 0) aopts(opts, title);
	return Object.assign(Object.create(null), defaults, opts);
}
/**
* Creates a callable hash function from a stateful class constructor.
* @param hashCons - hash constructor or factory
* @param info - optional metadata such as DER OID
* @returns Frozen callable hash wrapper with `.create()`.
*   Wrapper construction eagerly calls `hashCons(undefined)` once to read
*   `outputLen` / `blockLen`, so constructor side effects happen at module
*   init time.
* @throws On wrong argument types. {@link TypeError}
* @example
* Wrap a stateful hash constructor into a callable helper.
* ```ts
* import { createHasher } from '@noble/hashes/utils.js';
* import { sha256 } from '@noble/hashes/sha2.js';
* const wrapped = createHasher(sha256.create, { oid: sha256.oid });
* wrapped(new Uint8Array([1]));
* ```
*/
function createHasher(hashCons, info = {}) {
	if (typeof hashCons !== "function") throw new TypeError("\"hashCons\" expected function, got type=" + typeof hashCons);
	info = checkOpts({}, info, "info");
	const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
	const tmp = hashCons(void 0);
	hashC.outputLen = tmp.outputLen;
	hashC.blockLen = tmp.blockLen;
	hashC.canXOF = tmp.canXOF;
	hashC.create = (opts) => hashCons(opts);
	Object.assign(hashC, info);
	return Object.freeze(hashC);
}
// node_modules/@noble/hashes/sha3.js
/**
* SHA3 (keccak) hash function, based on a new "Sponge function" design.
* Different from older hashes, the internal state is bigger than output size.
*
* Check out
* {@link https://nvlpubs.nist.gov/nistpubs/FIPS/NIST.FIPS.202.pdf | FIPS-202},
* {@link https://keccak.team/keccak.html | Website}, and
* {@link https://crypto.stackexchange.com/q/15727 | the differences between
* SHA-3 and Keccak}.
*
* Check out `sha3-addons` module for cSHAKE, k12, and others.
* @module
*/
var _0n = BigInt(0);
var _1n = BigInt(1);
var _2n = BigInt(2);
var _7n = BigInt(7);
var _256n = BigInt(256);
var _0x71n = BigInt(113);
var SHA3_PI = [];
var SHA3_ROTL = [];
var _SHA3_IOTA = [];
for (let round = 0, R = _1n, x = 1, y = 0; round < 24; round++) {
	[x, y] = [y, (2 * x + 3 * y) % 5];
	SHA3_PI.push(2 * (5 * y + x));
	SHA3_ROTL.push((round + 1) * (round + 2) / 2 % 64);
	let t = _0n;
	for (let j = 0; j < 7; j++) {
		R = (R << _1n ^ (R >> _7n) * _0x71n) % _256n;
		if (R & _2n) t ^= _1n << (_1n << BigInt(j)) - _1n;
	}
	_SHA3_IOTA.push(t);
}
var IOTAS = split(_SHA3_IOTA, true);
var SHA3_IOTA_H = IOTAS[0];
var SHA3_IOTA_L = IOTAS[1];
var rotlSH = (h, l, s) => h << s | l >>> 32 - s;
var rotlSL = (h, l, s) => l << s | h >>> 32 - s;
var rotlBH = (h, l, s) => l << s - 32 | h >>> 64 - s;
var rotlBL = (h, l, s) => h << s - 32 | l >>> 64 - s;
var rotlH = (h, l, s) => s > 32 ? rotlBH(h, l, s) : rotlSH(h, l, s);
var rotlL = (h, l, s) => s > 32 ? rotlBL(h, l, s) : rotlSL(h, l, s);
var B = /* @__PURE__ */ new Uint32Array(10);
/**
* `keccakf1600` internal permutation, additionally allows adjusting the round count.
* @param s - 5x5 Keccak state encoded as 25 lanes split into 50 uint32 words
*   in this file's local little-endian lane-word order
* @param rounds - number of rounds to execute
* @throws On wrong argument types. {@link TypeError}
* @throws On wrong argument ranges or values. {@link RangeError}
* @throws If `rounds` is outside the supported `1..24` range. {@link Error}
* @example
* Permute a Keccak state with the default 24 rounds.
* ```ts
* keccakP(new Uint32Array(50));
* ```
*/
function keccakP(s, rounds = 24) {
	if (!(s instanceof Uint32Array)) throw new TypeError("\"s\" expected Uint32Array(50), got type=" + typeof s);
	if (s.length !== 50) throw new RangeError("\"s\" expected Uint32Array(50), got length=" + s.length);
	anumber(rounds, "rounds");
	if (rounds < 1 || rounds > 24) throw new Error("\"rounds\" expected integer 1..24");
	for (let round = 24 - rounds; round < 24; round++) {
		for (let x = 0; x < 10; x++) B[x] = s[x] ^ s[x + 10] ^ s[x + 20] ^ s[x + 30] ^ s[x + 40];
		for (let x = 0; x < 10; x += 2) {
			const idx1 = (x + 8) % 10;
			const idx0 = (x + 2) % 10;
			const B0 = B[idx0];
			const B1 = B[idx0 + 1];
			const Th = rotlH(B0, B1, 1) ^ B[idx1];
			const Tl = rotlL(B0, B1, 1) ^ B[idx1 + 1];
			for (let y = 0; y < 50; y += 10) {
				s[x + y] ^= Th;
				s[x + y + 1] ^= Tl;
			}
		}
		let curH = s[2];
		let curL = s[3];
		for (let t = 0; t < 24; t++) {
			const shift = SHA3_ROTL[t];
			const Th = rotlH(curH, curL, shift);
			const Tl = rotlL(curH, curL, shift);
			const PI = SHA3_PI[t];
			curH = s[PI];
			curL = s[PI + 1];
			s[PI] = Th;
			s[PI + 1] = Tl;
		}
		for (let y = 0; y < 50; y += 10) {
			const b0 = s[y], b1 = s[y + 1], b2 = s[y + 2], b3 = s[y + 3];
			s[y] ^= ~s[y + 2] & s[y + 4];
			s[y + 1] ^= ~s[y + 3] & s[y + 5];
			s[y + 2] ^= ~s[y + 4] & s[y + 6];
			s[y + 3] ^= ~s[y + 5] & s[y + 7];
			s[y + 4] ^= ~s[y + 6] & s[y + 8];
			s[y + 5] ^= ~s[y + 7] & s[y + 9];
			s[y + 6] ^= ~s[y + 8] & b0;
			s[y + 7] ^= ~s[y + 9] & b1;
			s[y + 8] ^= ~b0 & b2;
			s[y + 9] ^= ~b1 & b3;
		}
		s[0] ^= SHA3_IOTA_H[round];
		s[1] ^= SHA3_IOTA_L[round];
	}
	clean(B);
}
/**
* Keccak sponge function.
* @param blockLen - absorb/squeeze rate in bytes
* @param suffix - domain separation suffix byte
* @param outputLen - default digest length in bytes. This base sponge only
*   requires a non-negative integer; wrappers that need positive output
*   lengths must enforce that themselves.
* @param enableXOF - whether XOF output is allowed
* @param rounds - number of Keccak-f rounds
* @example
* Build a sponge state, absorb bytes, then finalize a digest.
* ```ts
* const hash = new Keccak(136, 0x06, 32);
* hash.update(new Uint8Array([1, 2, 3]));
* hash.digest();
* ```
*/
var Keccak = class Keccak {
	state;
	pos = 0;
	posOut = 0;
	finished = false;
	state32;
	destroyed = false;
	blockLen;
	suffix;
	outputLen;
	canXOF;
	enableXOF = false;
	rounds;
	constructor(blockLen, suffix, outputLen, enableXOF = false, rounds = 24) {
		anumber(blockLen, "blockLen");
		anumber(suffix, "suffix");
		anumber(rounds, "rounds");
		abool(enableXOF, "enableXOF");
		this.blockLen = blockLen;
		this.suffix = suffix;
		this.outputLen = outputLen;
		this.enableXOF = enableXOF;
		this.canXOF = enableXOF;
		this.rounds = rounds;
		anumber(outputLen, "outputLen");
		if (!(0 < blockLen && blockLen < 200)) throw new Error("\"blockLen\" must be 1..199");
		this.state = /* @__PURE__ */ new Uint8Array(200);
		this.state32 = u32(this.state);
	}
	clone() {
		return this._cloneInto();
	}
	keccak() {
		swap32IfBE(this.state32);
		keccakP(this.state32, this.rounds);
		swap32IfBE(this.state32);
		this.posOut = 0;
		this.pos = 0;
	}
	update(data) {
		aexists(this);
		abytes(data);
		const { blockLen, state, state32 } = this;
		const len = data.length;
		const canUseU32 = blockLen % 4 === 0 && data.byteOffset % 4 === 0;
		const blockLen32 = blockLen / 4;
		const data32 = canUseU32 && len >= blockLen ? u32(data) : void 0;
		for (let pos = 0; pos < len;) {
			if (data32 !== void 0 && this.pos === 0 && pos % 4 === 0 && len - pos >= blockLen) {
				for (let i = 0, o = pos / 4; i < blockLen32; i++) state32[i] ^= data32[o + i];
				pos += blockLen;
				this.pos = blockLen;
				this.keccak();
				continue;
			}
			const take = Math.min(blockLen - this.pos, len - pos);
			for (let i = 0; i < take; i++) state[this.pos++] ^= data[pos++];
			if (this.pos === blockLen) this.keccak();
		}
		return this;
	}
	finish() {
		if (this.finished) return;
		this.finished = true;
		const { state, suffix, pos, blockLen } = this;
		state[pos] ^= suffix;
		if ((suffix & 128) !== 0 && pos === blockLen - 1) this.keccak();
		state[blockLen - 1] ^= 128;
		this.keccak();
	}
	writeInto(out) {
		aexists(this, false);
		abytes(out);
		this.finish();
		const bufferOut = this.state;
		const { blockLen } = this;
		for (let pos = 0, len = out.length; pos < len;) {
			if (this.posOut >= blockLen) this.keccak();
			const take = Math.min(blockLen - this.posOut, len - pos);
			out.set(bufferOut.subarray(this.posOut, this.posOut + take), pos);
			this.posOut += take;
			pos += take;
		}
		return out;
	}
	xofInto(out) {
		if (!this.enableXOF) throw new Error("XOF is not enabled");
		return this.writeInto(out);
	}
	xof(bytes) {
		anumber(bytes);
		return this.xofInto(new Uint8Array(bytes));
	}
	digestInto(out) {
		aoutput(out, this);
		if (this.finished) throw new Error("digest() was already called");
		this.writeInto(out.length === this.outputLen ? out : out.subarray(0, this.outputLen));
		this.destroy();
	}
	digest() {
		const out = new Uint8Array(this.outputLen);
		this.digestInto(out);
		return out;
	}
	destroy() {
		this.destroyed = true;
		clean(this.state);
	}
	_cloneInto(to) {
		const { blockLen, suffix, outputLen, rounds, enableXOF } = this;
		to ||= new Keccak(blockLen, suffix, outputLen, enableXOF, rounds);
		to.blockLen = blockLen;
		to.state32.set(this.state32);
		to.pos = this.pos;
		to.posOut = this.posOut;
		to.finished = this.finished;
		to.rounds = rounds;
		to.suffix = suffix;
		to.outputLen = outputLen;
		to.enableXOF = enableXOF;
		to.canXOF = this.canXOF;
		to.destroyed = this.destroyed;
		return to;
	}
};
var genKeccak = (suffix, blockLen, outputLen, info = {}) => createHasher(() => new Keccak(blockLen, suffix, outputLen), info);
/**
* Keccak-256 hash function. Different from SHA3-256.
* @param msg - message bytes to hash
* @param opts - Reserved hash options.
* @returns Digest bytes.
* @example
* Hash a message with Keccak-256.
* ```ts
* keccak_256(new Uint8Array([97, 98, 99]));
* ```
*/
var keccak_256 = /* @__PURE__ */ genKeccak(1, 136, 32);
// attestor/evm/hash.ts
/** Hexadecimal and keccak256, as every contract and every wallet has them. */
/** @throws TypeError for text that is not 0x and whole bytes */
function fromHex(text) {
	if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) throw new TypeError("this is not hexadecimal");
	return hexToBytes(text.slice(2));
}
/** 0x and lower-case digits. */
function toHex(bytes) {
	return `0x${bytesToHex(bytes)}`;
}
/** keccak256 of a text's UTF-8 bytes. */
function id(text) {
	return toHex(keccak_256(new TextEncoder().encode(text)));
}
/** @throws TypeError as `fromHex` */
function concat(parts) {
	return toHex(joined(parts));
}
/** keccak256 of parts, one behind the other. @throws TypeError as `fromHex` */
function keccakOf(parts) {
	return toHex(keccak_256(joined(parts)));
}
var joined = (parts) => fromHex(`0x${parts.map((part) => checked(part).slice(2)).join("")}`);
function checked(part) {
	if (!part.startsWith("0x") || part.length % 2 !== 0) throw new TypeError("this is not hexadecimal");
	return part;
}
// attestor/evm/address.ts
/** Addresses with their EIP-55 checksum. */
/**
* @param address 0x and 40 digits: all of one case, or in mixed case with a right checksum
* @throws TypeError for anything else
*/
function checksumAddress(address) {
	if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new TypeError("this is no address");
	const digits = address.slice(2);
	const lower = digits.toLowerCase();
	const hash = id(lower);
	const sum = [...lower].map((digit, index) => Number.parseInt(hash.charAt(2 + index), 16) > 7 ? digit.toUpperCase() : digit).join("");
	if (digits !== lower && digits !== digits.toUpperCase() && digits !== sum) throw new TypeError("this address has a wrong checksum");
	return `0x${sum}`;
}
var WORD_DIGITS = 64;
/** A uint256 as a word. @throws RangeError when it does not fit */
function uintWord(value) {
	const number = BigInt(value);
	if (number < 0n || number >> 256n !== 0n) throw new RangeError("this does not fit into 256 bits");
	return `0x${number.toString(16).padStart(WORD_DIGITS, "0")}`;
}
/** @throws TypeError for what is no address */
function addressWord(address) {
	return `0x${checksumAddress(address).slice(2).toLowerCase().padStart(WORD_DIGITS, "0")}`;
}
/** So many bytes, at the front of their word. @throws TypeError for another number of them */
function bytesWord(text, size) {
	if (fromHex(text).length !== size) throw new TypeError(`these are not ${size} bytes`);
	return `0x${text.slice(2).toLowerCase().padEnd(WORD_DIGITS, "0")}`;
}
/** A word by its Solidity type: `address`, `uint…` or `bytes…`. */
function wordOf(type, value) {
	if (type === "address") return addressWord(String(value));
	if (type.startsWith("uint")) return sizedUint(value, Number(type.slice(4)));
	return bytesWord(String(value), Number(type.slice(5)));
}
function sizedUint(value, bits) {
	if (BigInt(value) >> BigInt(bits) !== 0n) throw new RangeError(`this does not fit into ${bits} bits`);
	return uintWord(value);
}
/** Arguments, or members of a struct of dynamic length, as the ABI has them: tails follow all that has a place of its own. */
function encodeArguments(parts) {
	const bytesOf = (part) => typeof part === "string" ? (part.length - 2) / 2 : 32;
	let place = parts.reduce((sum, part) => sum + bytesOf(part), 0);
	return concat([...parts.map((part) => {
		if (typeof part === "string") return part;
		const here = uintWord(place);
		place += (part.tail.length - 2) / 2;
		return here;
	}), ...parts.flatMap((part) => typeof part === "string" ? [] : [part.tail])]);
}
/** A byte string. @param text hexadecimal */
function bytesTail(text) {
	const { length } = fromHex(text);
	const padding = (32 - length % 32) % 32;
	return { tail: concat([
		uintWord(length),
		text,
		toHex(new Uint8Array(padding))
	]) };
}
/**
* Arguments of fixed length, then byte strings: their places follow the words, their bytes come last.
* @param words of the arguments of fixed length
* @param strings hexadecimal
*/
function encodeCall(selector, words, strings = []) {
	return concat([selector, encodeArguments([...words, ...strings.map(bytesTail)])]);
}
/** Reads what is encoded as the ABI says; bytes behind it mean nothing. */
var WordReader = class {
	#bytes;
	/** @param body call data without its selector @throws TypeError for what is not hexadecimal */
	constructor(body) {
		this.#bytes = fromHex(body);
	}
	/** @param index of the word @throws RangeError where there is none */
	uint(index) {
		return this.#uintAt(index * 32);
	}
	/** EIP-55. @throws RangeError, also for a word that is too large for an address */
	address(index) {
		return this.#addressAt(index * 32);
	}
	/** A list of addresses whose place the word names. @throws RangeError */
	addresses(index) {
		const place = this.#indexAt(index * 32);
		const count = this.#indexAt(place);
		if (count * 32 > this.#bytes.length - place) throw new RangeError("this is longer than the call data");
		return Array.from({ length: count }, (_, item) => this.#addressAt(place + (item + 1) * 32));
	}
	#uintAt(place) {
		if (place + 32 > this.#bytes.length) throw new RangeError("the call data ends too early");
		return BigInt(toHex(this.#bytes.subarray(place, place + 32)));
	}
	#indexAt(place) {
		const value = this.#uintAt(place);
		if (value > BigInt(this.#bytes.length)) throw new RangeError("this lies behind the call data");
		return Number(value);
	}
	#addressAt(place) {
		const value = this.#uintAt(place);
		if (value >> 160n !== 0n) throw new RangeError("this is no address");
		return checksumAddress(`0x${value.toString(16).padStart(40, "0")}`);
	}
};
// attestor/memo.ts
/**
* What `make` made of a key before, or makes of it now.
* @param most keys; beyond so many all are forgotten at once, since some come from outside
*/
function memo(kept, key, make, most = 1e3) {
	const found = kept.get(key);
	if (found !== void 0) return found;
	const made = make();
	if (kept.size >= most) kept.clear();
	kept.set(key, made);
	return made;
}
// attestor/values/orElse.ts
/** What `work` returns, or `otherwise` where it throws. */
function orElse(work, otherwise) {
	try {
		return work();
	} catch {
		return otherwise;
	}
}
// attestor/values/primitives.ts
/**
* The atoms that every schema of this room is made of. All parse to one canonical form. A wrong form
* ends the parsing of its value (`abort`), because what follows reckons with the right one.
*/
var MAX_UINT256 = 2n ** 256n - 1n;
var MAX_UINT64 = 2n ** 64n - 1n;
var form = (message) => ({
	message,
	abort: true
});
var checksum = form("has a wrong EIP-55 checksum");
/** A checksum costs a hash, each address is asked about twice in a row, and answers hold the same few again and again. */
var checksums = /* @__PURE__ */ new Map();
var checksummed = (value) => memo(checksums, value, () => orElse(() => checksumAddress(value), null));
/** A 20-byte address. Any case is accepted, but mixed case must carry a right EIP-55 checksum. */
var Address = string().regex(/^0x[0-9a-fA-F]{40}$/, form("must be 0x and 40 hexadecimal digits")).refine((value) => checksummed(value) !== null, checksum).overwrite((value) => checksummed(value) ?? value).meta({
	id: "Address",
	description: "20-byte address, EIP-55 checksummed in answers"
});
/** Any text from outside that is hashed or stored. An unpaired surrogate has no UTF-8, so nothing can be done with it. */
var Text = string().refine((value) => value.isWellFormed(), form("must be well-formed Unicode"));
string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 of the characters A-Za-z0-9_-");
string().regex(/^[A-Z][A-Z0-9_]{0,39}$/, "must be 1 to 40 of the characters A-Z0-9_, a letter first");
string().max(24).regex(/^[A-Za-z][A-Za-z0-9]*([.-][A-Za-z0-9]+)?$/, "must be a letter, then letters and digits, with at most one . or - between them");
string().regex(/^[A-Za-z0-9._-]{1,40}$/, "must be 1 to 40 of the characters A-Za-z0-9._-");
/** 32 bytes in lower-case hexadecimal. */
var Bytes32 = string().regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 lower-case hexadecimal digits");
string().regex(/^0x[0-9a-f]{8}$/, "must be 0x and 8 lower-case hexadecimal digits");
/** A raw token amount or another uint256 as a decimal string without leading zeros. */
var RawAmount = string().regex(/^(0|[1-9][0-9]{0,77})$/, form("must be a decimal integer without sign or leading zeros")).refine((value) => value.length < 78 || BigInt(value) <= MAX_UINT256, "must fit into 256 bits");
/** The same above zero, as its JSON Schema says too. */
var PositiveAmount = RawAmount.refine((value) => value !== "0", "must be more than zero").meta({ pattern: "^[1-9][0-9]{0,77}$" });
/** A uint64 in the same form. */
var Uint64 = RawAmount.refine((value) => value.length < 20 || BigInt(value) <= MAX_UINT64, "must fit into 64 bits");
string().regex(/^(0|[1-9][0-9]{0,79})(\.[0-9]{1,18})?$/, "must be a decimal number such as 271.5");
string().regex(/^(0|[1-9][0-9]{0,399})(\.[0-9]{1,8})?$/, "must be a decimal number of USD");
string().regex(/^-?(0|[1-9][0-9]{0,399})(\.[0-9]{1,4})?$/, "must be a decimal number of basis points");
int().min(0).max(253402300799);
/**
* CAIP-19-like key of a token: `eip155:<chainId>:<address>`. Any case of the address is accepted,
* the parsed key is checksummed.
*/
var AssetKey = string().regex(/^eip155:[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$/, form("must be eip155:<chainId>:<address>")).refine((value) => checksummed(value.slice(value.lastIndexOf(":") + 1)) !== null, checksum).overwrite((value) => {
	const cut = value.lastIndexOf(":") + 1;
	return value.slice(0, cut) + (checksummed(value.slice(cut)) ?? value.slice(cut));
}).describe("eip155:<chainId>:<address>");
var types_default = {
	domain: { "EIP712Domain": [
		{
			"name": "name",
			"type": "string"
		},
		{
			"name": "version",
			"type": "string"
		},
		{
			"name": "chainId",
			"type": "uint256"
		},
		{
			"name": "verifyingContract",
			"type": "address"
		}
	] },
	intent: { "TradeIntent": [
		{
			"name": "owner",
			"type": "address"
		},
		{
			"name": "recipient",
			"type": "address"
		},
		{
			"name": "inputToken",
			"type": "address"
		},
		{
			"name": "outputToken",
			"type": "address"
		},
		{
			"name": "amountIn",
			"type": "uint256"
		},
		{
			"name": "minAmountOut",
			"type": "uint256"
		},
		{
			"name": "route",
			"type": "address"
		},
		{
			"name": "callDataHash",
			"type": "bytes32"
		},
		{
			"name": "policyHash",
			"type": "bytes32"
		},
		{
			"name": "nonce",
			"type": "uint256"
		},
		{
			"name": "deadline",
			"type": "uint256"
		}
	] },
	certificate: { "VerificationCertificate": [
		{
			"name": "intentHash",
			"type": "bytes32"
		},
		{
			"name": "evidenceHash",
			"type": "bytes32"
		},
		{
			"name": "jobId",
			"type": "bytes32"
		},
		{
			"name": "reportVersion",
			"type": "uint64"
		},
		{
			"name": "issuedAt",
			"type": "uint64"
		},
		{
			"name": "expiresAt",
			"type": "uint64"
		}
	] }
};
// attestor/certificate/certificate.ts
/** The certificate and the EIP-712 hashing of it and of the trade intent, as the guard does it. */
/** The on-chain `VerificationCertificate`; numbers are decimal strings. Member order is the struct's. */
var VerificationCertificate = strictObject({
	intentHash: Bytes32,
	evidenceHash: Bytes32,
	jobId: Bytes32,
	reportVersion: Uint64.describe("Version of the report that is certified"),
	issuedAt: Uint64.describe("From when the certificate holds, unix seconds"),
	expiresAt: Uint64.describe("Until when it holds, unix seconds")
}).meta({ id: "VerificationCertificate" });
var { intent: TRADE_INTENT_TYPES, certificate: CERTIFICATE_TYPES, domain: DOMAIN_TYPES } = types_default;
var typeHash = (types) => id(Object.entries(types).map(([name, members]) => `${name}(${members.map(({ type, name: member }) => `${type} ${member}`).join(",")})`).join(""));
typeHash(DOMAIN_TYPES);
var TRADE_INTENT_TYPE_HASH = typeHash(TRADE_INTENT_TYPES);
typeHash(CERTIFICATE_TYPES);
/** EIP-712 struct hash of a trade intent: the guard's `hashIntent`. */
function hashIntent(intent) {
	return keccakOf([TRADE_INTENT_TYPE_HASH, ...intentWords(intent)]);
}
/** The members of a trade intent as the chain takes them, a word each. */
function intentWords(intent) {
	return TRADE_INTENT_TYPES.TradeIntent.map(({ name, type }) => wordOf(type, intent[name]));
}
/** The members of a certificate as the chain takes them, a word each. */
function certificateWords(certificate) {
	return CERTIFICATE_TYPES.VerificationCertificate.map(({ name, type }) => wordOf(type, certificate[name]));
}
// attestor/certificate/guardCall.ts
/** Calls of the guard and of the tokens that it trades, encoded as the chain takes them. */
var tuple = (members) => `(${members.map(({ type }) => type).join(",")})`;
var INTENT_TUPLE = tuple(TRADE_INTENT_TYPES.TradeIntent);
var CERTIFICATE_TUPLE = tuple(CERTIFICATE_TYPES.VerificationCertificate);
var selectorOf = (signature) => id(signature).slice(0, 10);
var EXECUTE_SELECTOR = selectorOf(`execute(${INTENT_TUPLE},${CERTIFICATE_TUPLE},bytes,bytes,bytes)`);
selectorOf(`trade(${INTENT_TUPLE},${CERTIFICATE_TUPLE},bytes,bytes)`);
var APPROVE_SELECTOR = selectorOf("approve(address,uint256)");
/** Call data of the guard's `execute`. */
function executeCallData(args) {
	const { certificateSignature, ownerSignature, routeCallData } = args;
	return encodeCall(EXECUTE_SELECTOR, structWords(args), [
		certificateSignature,
		ownerSignature,
		routeCallData
	]);
}
/** Both structs are of fixed length, so they stand word for word where the arguments begin. */
var structWords = ({ intent, certificate }) => [...intentWords(intent), ...certificateWords(certificate)];
TRADE_INTENT_TYPES.TradeIntent.length + CERTIFICATE_TYPES.VerificationCertificate.length;
/** Call data of a token's `approve`. @param amount raw units, decimal */
function approveCallData(spender, amount) {
	return encodeCall(APPROVE_SELECTOR, [addressWord(spender), uintWord(amount)]);
}
// attestor/certificate/execution.ts
/**
* What the owner sends before the trade: nothing where the guard may take the amount already. Some tokens refuse to change
* an allowance that is not zero, so a smaller one is taken back first.
* @param currentAllowance raw units, decimal
*/
function approvalCalls({ inputToken, amountIn }, guard, currentAllowance) {
	const approve = (amount) => ({
		to: inputToken,
		data: approveCallData(guard, amount),
		value: "0"
	});
	if (BigInt(currentAllowance) >= BigInt(amountIn)) return [];
	return currentAllowance === "0" ? [approve(amountIn)] : [approve("0"), approve(amountIn)];
}
// attestor/evm/reads.ts
/** What a page, a command or the service asks a chain by `eth_call`, and what the answers say. */
/** A view that takes addresses alone. */
function readOf(to, [name, ...addresses], read) {
	return {
		to,
		data: encodeCall(id(`${name}(${addresses.map(() => "address").join(",")})`).slice(0, 10), addresses.map(addressWord)),
		read: (answer) => read(new WordReader(answer))
	};
}
/** The attestation key that a guard names. */
var signerOf = (guard) => readOf(guard, ["signer"], (words) => words.address(0));
var isPaused = (guard) => readOf(guard, ["paused"], (words) => words.uint(0) === 1n);
/** Whether the guard has carried out the owner's trade of that nonce, or the owner has revoked it. */
var isNonceUsed = (guard, owner, nonce) => ({
	to: guard,
	data: encodeCall(NONCE_USED, [addressWord(owner), uintWord(nonce)]),
	read: (answer) => new WordReader(answer).uint(0) === 1n
});
var NONCE_USED = id("isNonceUsed(address,uint256)").slice(0, 10);
var allowanceOf = (token, holder, spender) => readOf(token, [
	"allowance",
	holder,
	spender
], (words) => words.uint(0));
// attestor/intent.ts
/** What an agent fixed (the intent), and what the guard is asked to carry out (the trade intent). */
/** What an owner accepts of the trade beside what the policy allows. None is wider than the policy's own bound. */
var Limits = strictObject({
	maxPremiumBps: int().min(-1e4).max(1e4).optional().describe("Greatest premium against the trader, basis points; a negative one demands a discount"),
	maxImpactBps: int().min(0).max(1e4).optional().describe("Greatest price impact, basis points"),
	minAmountOutRaw: PositiveAmount.optional().describe("Least output, raw units of the output token; the guard enforces it"),
	maxReferenceAgeSeconds: int().min(1).optional().describe("Greatest age of a reference price that counts, seconds")
}).refine((limits) => Object.keys(limits).length > 0, "must name a limit").meta({
	id: "Limits",
	minProperties: 1
});
strictObject({
	ownerAddress: Address,
	recipientAddress: Address,
	inputAssetKey: AssetKey,
	outputAssetKey: AssetKey,
	amountInRaw: PositiveAmount.describe("What the trade puts in, raw units of the input token"),
	policyId: Text.min(1).max(40),
	maxSlippageBps: int().min(0).max(1e4).describe("The greatest slippage that the owner accepts, basis points"),
	limits: Limits.optional().describe("Absent where the policy's bounds are enough for the owner")
}).meta({ id: "Intent" });
/** The on-chain `TradeIntent`; numbers are decimal strings. Member order is the order of the Solidity struct. */
var TradeIntent = strictObject({
	owner: Address,
	recipient: Address,
	inputToken: Address,
	outputToken: Address,
	amountIn: RawAmount.describe("What the trade puts in, raw units of the input token"),
	minAmountOut: RawAmount.describe("The least that the recipient must get, raw units of the output token"),
	route: Address,
	callDataHash: Bytes32.describe("keccak256 of the whole route call data"),
	policyHash: Bytes32.describe("Hash of the policy definition that the trade is judged by"),
	nonce: RawAmount.describe("Number of the trade intent among its owner's: the guard takes each once"),
	deadline: RawAmount.describe("Until when it can be executed, unix seconds")
}).meta({ id: "TradeIntent" });
// attestor/values/attestorErrors.ts
var AttestorError = class extends Error {
	code;
	constructor(code, message, options) {
		super(message, options);
		this.name = "AttestorError";
		this.code = code;
	}
};
var MAX_DEPTH = 64;
/**
* @throws AttestorError `not_a_document` for text that is too long, not JSON, nested too deeply, or that names a
*   member twice, which readers resolve differently
*/
function parseDocument(text) {
	if (text.length > 4194304) throw new AttestorError("not_a_document", "it is longer than 4 MiB; a report has some kilobytes");
	let value;
	try {
		value = JSON.parse(text.replace(/^\ufeff/, ""));
	} catch {
		throw new AttestorError("not_a_document", text.trim() === "" ? "it is empty" : "it is no JSON");
	}
	assertUnambiguous(text);
	return value;
}
/** Walks text that is known to be JSON, without recursion. */
function assertUnambiguous(text) {
	/** The names seen in each object that is open, null for an array. */
	const open = [];
	let nameNext = false;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === "{" || character === "[") {
			open.push(character === "{" ? /* @__PURE__ */ new Set() : null);
			if (open.length > MAX_DEPTH) throw new AttestorError("not_a_document", "it is nested too deeply");
			nameNext = character === "{";
		} else if (character === "}" || character === "]") {
			open.pop();
			nameNext = false;
		} else if (character === ",") nameNext = open.at(-1) != null;
		else if (character === "\"") {
			const start = at;
			for (at++; text[at] !== "\""; at++) if (text[at] === "\\") at++;
			if (nameNext) addName(open.at(-1), JSON.parse(text.slice(start, at + 1)));
			nameNext = false;
		}
	}
}
function addName(names, name) {
	if (names?.has(name)) throw new AttestorError("not_a_document", `it names the member ${JSON.stringify(name.slice(0, 40))} twice`);
	names?.add(name);
}
// node_modules/mipd/dist/esm/utils.js
/**
* Watches for EIP-1193 Providers to be announced.
*/
function requestProviders(listener) {
	if (typeof window === "undefined") return;
	const handler = (event) => listener(event.detail);
	window.addEventListener("eip6963:announceProvider", handler);
	window.dispatchEvent(new CustomEvent("eip6963:requestProvider"));
	return () => window.removeEventListener("eip6963:announceProvider", handler);
}
// web/sign/wallet.ts
/**
* Wallets of the reader's browser, which announce themselves by EIP-6963 and are asked by EIP-1193. What they say comes
* from outside, like anything else. Through them, and through nobody else, the page asks the chain.
*/
var Announced = object({
	info: object({
		uuid: string().min(1).max(100),
		name: string().min(1).max(100)
	}),
	provider: custom((value) => typeof value?.request === "function")
});
/** Tells of each wallet once, also of those that come later. @returns ends it */
function discoverWallets(onWallet) {
	const known = /* @__PURE__ */ new Set();
	const end = requestProviders((announced) => {
		const { data } = Announced.safeParse(announced);
		if (data === void 0 || known.has(data.info.uuid)) return;
		known.add(data.info.uuid);
		onWallet(walletOf(data));
	});
	return () => end?.();
}
function walletOf({ info, provider }) {
	return {
		name: printable(info.name),
		async ask(schema, method, ...params) {
			const answer = schema.safeParse(await provider.request({
				method,
				params
			}).catch(rejected));
			if (!answer.success) throw new SignFault("badAnswer", { method });
			return answer.data;
		}
	};
}
var Rejection = object({
	code: number().optional(),
	message: string().optional()
});
var REFUSED = 4001;
function rejected(error) {
	const { code, message = "" } = Rejection.safeParse(error).data ?? {};
	if (code === REFUSED) throw new SignFault("refused");
	throw new SignFault("walletFailed", { message: printable(message).slice(0, 300) });
}
var Accounts = array(Address).max(1e3);
var Hex = string().regex(/^0x[0-9a-fA-F]*$/).max(2e5);
var Quantity = string().regex(/^0x[0-9a-fA-F]{1,64}$/).transform(BigInt);
var Receipt = object({ status: _enum(["0x0", "0x1"]) }).nullable();
/** The wallet is on that chain, and there is a contract at the address. @throws SignFault */
async function checkPlace(wallet, chainId, address) {
	const is = await wallet.ask(Quantity, "eth_chainId");
	if (is !== BigInt(chainId)) throw new SignFault("wrongChain", {
		is: String(is),
		wanted: chainId
	});
	if (await wallet.ask(Hex, "eth_getCode", address, "latest") === "0x") throw new SignFault("noCode", { address });
}
/** @throws SignFault */
var switchChain = (wallet, chainId) => wallet.ask(unknown(), "wallet_switchEthereumChain", { chainId: `0x${chainId.toString(16)}` });
/** @throws SignFault */
async function read(wallet, { to, data, read: reading }) {
	const answer = await wallet.ask(Hex, "eth_call", {
		to,
		data
	}, "latest");
	const result = orElse(() => ({ value: reading(answer) }), null);
	if (result === null) throw new SignFault("badAnswer", { method: "eth_call" });
	return result.value;
}
/** @param wanted if the wallet offers it; else the first @throws SignFault */
async function accountOf(wallet, wanted) {
	const accounts = await wallet.ask(Accounts, "eth_requestAccounts");
	const account = accounts.find((each) => each === wanted) ?? accounts[0];
	if (account === void 0) throw new SignFault("refused");
	return account;
}
var POLL_MS$1 = 1e3;
var MOST_POLLS$1 = 600;
/**
* Has the wallet send a call, and waits until it is mined.
* @param onSent told of the transaction's hash
* @throws SignFault `otherAccount`, and `wouldFail` before the wallet is asked; `reverted`, `notMined`
*/
async function sendCall(wallet, account, { to, data }, onSent = () => {}) {
	if (!(await wallet.ask(Accounts, "eth_accounts")).includes(account)) throw new SignFault("otherAccount", { account });
	const transaction = {
		from: account,
		to,
		data,
		value: "0x0"
	};
	await wallet.ask(Hex, "eth_call", transaction, "latest").catch((error) => {
		throw new SignFault("wouldFail", { message: error.message });
	});
	const hash = await wallet.ask(Bytes32, "eth_sendTransaction", transaction);
	onSent(hash);
	for (let poll = 0; poll < MOST_POLLS$1; poll++) {
		const receipt = await wallet.ask(Receipt, "eth_getTransactionReceipt", hash);
		if (receipt?.status === "0x0") throw new SignFault("reverted", { hash });
		if (receipt !== null) return;
		await new Promise((resolve) => after(POLL_MS$1, resolve));
	}
	throw new SignFault("notMined", { hash });
}
// web/sign/trade.ts
/** One prepared trade that a link names: from the link to what the reader's wallet may be asked for. */
var LINK = /^#trade=(st_[A-Za-z0-9_-]{43}):([A-Za-z0-9_-]{1,64}):([1-9][0-9]{0,8}):([1-9][0-9]{0,14}):(0x[0-9a-fA-F]{40})$/;
/** @param hash the fragment of the page's address; null: it names no trade */
function linkIn(hash) {
	const decoded = orElse(() => decodeURIComponent(hash), "");
	const [, token = "", jobId = "", version, chainId, address] = LINK.exec(decoded) ?? [];
	const guard = Address.safeParse(address).data;
	if (guard === void 0) return null;
	return {
		token,
		jobId,
		version: Number(version),
		chainId: Number(chainId),
		guard
	};
}
var bearer = ({ token }) => ({
	accept: "application/json",
	authorization: `Bearer ${token}`
});
/** The document as the service has it. @throws SignFault */
async function fetchTrade(link) {
	const answer = await send(`/v1/jobs/${link.jobId}/report?version=${link.version}`, {
		method: "GET",
		headers: bearer(link)
	}).catch(() => null);
	if (answer?.status === 200) return answer.text;
	if (answer?.status === 410) throw new SignFault("tradeOver");
	if (answer !== null && [
		401,
		403,
		404
	].includes(answer.status)) throw new SignFault("linkUnknown");
	throw new SignFault("serviceAway");
}
var HexData = string().regex(/^0x([0-9a-fA-F]{2})*$/);
var Signed = object({ execution: object({
	tradeIntent: object({ message: TradeIntent }),
	certificate: object({
		message: VerificationCertificate,
		signature: HexData
	}),
	guardCall: object({ args: object({ routeCallData: HexData }) })
}) });
/** null: the document has nothing to sign. Nothing of it counts before the judge has spoken. */
function signedIn(text) {
	const { data } = Signed.safeParse(orElse(() => parseDocument(text), null));
	if (data === void 0) return null;
	const { tradeIntent, certificate, guardCall } = data.execution;
	return {
		intent: tradeIntent.message,
		certificate: certificate.message,
		signature: certificate.signature,
		routeCallData: guardCall.args.routeCallData,
		endsAt: Math.min(Number(tradeIntent.message.deadline), Number(certificate.message.expiresAt))
	};
}
/**
* Judged by the link's guard, and by the signer that this guard names on the wallet's chain: nothing is the service's word.
* @returns null: a newer question came
* @throws SignFault `notJudged`
*/
async function rulingOn(judge, text, link, signer) {
	const reader = {
		guard: `${link.chainId}:${link.guard}`,
		signer: signer ?? void 0
	};
	const answer = await judge.ask({
		input: text,
		reader,
		known: [],
		servicePolicies: [],
		serviceRegistry: null,
		serviceSamples: null
	});
	if (answer === null) return null;
	if (answer.kind !== "judged") throw new SignFault("notJudged");
	const { view } = answer;
	const signed = signedIn(text);
	const { judged } = view;
	return {
		view,
		signed,
		signer,
		mayBeSigned: signer !== null && view.verdict === "VALID" && judged?.decision === "ALLOW" && judged.jobId === link.jobId && judged.version === link.version && signed !== null && judged.event.intentHash === hashIntent(signed.intent)
	};
}
/** @returns the guard's signer @throws SignFault */
async function guardSigner(wallet, { chainId, guard }) {
	await checkPlace(wallet, chainId, guard);
	if (await read(wallet, isPaused(guard))) throw new SignFault("paused");
	return read(wallet, signerOf(guard));
}
/** @param owner whose account is taken where the wallet offers it @throws SignFault */
async function connectFor(wallet, link, owner) {
	return {
		wallet,
		signer: await guardSigner(wallet, link),
		account: await accountOf(wallet, owner)
	};
}
/** Whether chain and guard are still what the trade was judged by. @throws SignFault */
async function checkGuard({ wallet, signer }, link) {
	if (await guardSigner(wallet, link) !== signer) throw new SignFault("otherSigner");
}
/** @returns raw units that the guard may take of the input token @throws SignFault for a trade that was carried out */
async function allowanceNow({ wallet }, { guard }, { intent }) {
	if (await read(wallet, isNonceUsed(guard, intent.owner, intent.nonce))) throw new SignFault("nonceUsed");
	return read(wallet, allowanceOf(intent.inputToken, intent.owner, guard));
}
function executeCall({ guard }, { signature, ...trade }) {
	return {
		to: guard,
		data: executeCallData({
			...trade,
			certificateSignature: signature,
			ownerSignature: "0x"
		})
	};
}
var Followed = object({ state: _enum([
	"submitted",
	"confirmed",
	"reverted",
	"mismatched",
	"dropped"
]) });
var POLL_MS = 3e3;
var MOST_POLLS = 300;
/** Tells the service of the transaction, and the reader what the service says of it, until that is final. */
async function follow(link, transactionHash, onState) {
	const headers = {
		...bearer(link),
		"content-type": "application/json"
	};
	const body = JSON.stringify({ transactionHash });
	const path = `/v1/jobs/${link.jobId}/submissions`;
	for (let poll = 0; poll < MOST_POLLS; poll++) {
		const answer = await send(path, {
			method: "POST",
			headers,
			body
		}).catch(() => null);
		const { data } = Followed.safeParse(orElse(() => JSON.parse(answer?.text ?? ""), null));
		onState(data?.state ?? "unknown");
		if (data !== void 0 && data.state !== "submitted") return;
		await new Promise((resolve) => after(POLL_MS, resolve));
	}
}
// web/sign/Wallets.tsx
/** The reader's wallets: one is connected, or switched to the page's chain first. And the buttons that ask them. */
/** Buttons of which one acts at a time, and what became of it. */
function Acts({ acts, isReady = true, isStrong = false, busy }) {
	const [isBusy, setBusy] = d(false);
	const [fault, setFault] = d("");
	const run = async (act) => {
		setBusy(true);
		setFault("");
		await act.do().catch((error) => setFault(faultText(error)));
		setBusy(false);
	};
	return /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1("p", {
		class: "buttons",
		children: acts.map((act, index) => /* @__PURE__ */ a$1("button", {
			type: "button",
			class: isStrong && index === 0 ? "strong" : void 0,
			disabled: !isReady || isBusy,
			onClick: () => void run(act),
			children: act.label
		}, index))
	}), /* @__PURE__ */ a$1("p", {
		class: fault === "" ? "said soft" : "said fault",
		"aria-live": "polite",
		children: isBusy ? busy : fault
	})] });
}
function Wallets({ chainId, account, connect }) {
	const [wallets, setWallets] = d([]);
	/** On another chain. */
	const [stray, setStray] = d(null);
	A(() => discoverWallets((wallet) => setWallets((before) => [...before, wallet])), []);
	const open = async (wallet) => {
		setStray(null);
		await connect(wallet).catch((error) => {
			if (error instanceof SignFault && error.code === "wrongChain") setStray(wallet);
			throw error;
		});
	};
	const acts = wallets.map((wallet) => ({
		label: `Connect ${wallet.name}`,
		do: () => open(wallet)
	}));
	if (stray !== null) acts.push({
		label: `Switch ${stray.name} to chain ${chainId}`,
		do: () => switchChain(stray, chainId).then(() => open(stray))
	});
	return /* @__PURE__ */ a$1(Section, {
		title: "Wallet",
		children: [/* @__PURE__ */ a$1("div", {
			class: "wallets",
			children: wallets.length === 0 ? /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: "No wallet has announced itself in this browser. Install one that supports EIP-6963, or unlock yours and reload the page."
			}) : /* @__PURE__ */ a$1(Acts, {
				acts,
				busy: "Asking your wallet …"
			})
		}), /* @__PURE__ */ a$1("p", {
			class: "account",
			children: ["Connected account: ", /* @__PURE__ */ a$1("code", { children: account ?? "–" })]
		})]
	});
}
// web/sign/TradeSteps.tsx
/** What the reader's wallet may do with a trade that is VALID: approve and send it. */
var STATES = {
	submitted: "sent, not confirmed yet",
	confirmed: "confirmed: the trade was carried out",
	reverted: "reverted: nothing was traded",
	mismatched: "mined, but not as this trade",
	dropped: "not found on the chain",
	unknown: "the service has not answered yet; see your wallet"
};
function TradeSteps({ by, link, trade, view, now }) {
	const { intent, endsAt } = trade;
	const { wallet, account } = by;
	const [allowance, setAllowance] = d(null);
	const [fault, setFault] = d("");
	const [sent, setSent] = d(null);
	const readAllowance = async () => setAllowance(await allowanceNow(by, link, trade));
	A(() => {
		readAllowance().catch((error) => setFault(faultText(error)));
	}, []);
	const check = async () => {
		if (now() / 1e3 > endsAt) throw new SignFault("tradeOver");
		await checkGuard(by, link);
	};
	const approve = async () => {
		for (const call of approvalCalls(intent, link.guard, String(allowance))) {
			await check();
			await sendCall(wallet, account, call);
		}
		await readAllowance();
	};
	const onSent = (hash) => {
		setSent({
			hash,
			state: "unknown"
		});
		follow(link, hash, (state) => setSent({
			hash,
			state
		}));
	};
	const send = async () => {
		await check();
		await sendCall(wallet, account, executeCall(link, trade), onSent);
	};
	if (account !== intent.owner) return /* @__PURE__ */ a$1("p", {
		class: "fault",
		children: faultText(new SignFault("wrongAccount", { owner: intent.owner }))
	});
	if (fault !== "") return /* @__PURE__ */ a$1("p", {
		class: "fault",
		children: fault
	});
	if (sent !== null) return /* @__PURE__ */ a$1("p", {
		role: "status",
		children: [
			"Transaction ",
			/* @__PURE__ */ a$1("code", { children: sent.hash }),
			": ",
			/* @__PURE__ */ a$1("strong", { children: STATES[sent.state] })
		]
	});
	const isShort = allowance !== null && allowance < BigInt(intent.amountIn);
	const approveLabel = `Approve exactly ${grouped(view.amountIn)} ${symbolsOf(view).paid}`;
	return /* @__PURE__ */ a$1($$1, { children: [isShort ? /* @__PURE__ */ a$1("p", {
		class: "soft",
		children: "The guard may not take the amount yet. The approval is for this amount and no more."
	}) : null, /* @__PURE__ */ a$1(Acts, {
		isReady: allowance !== null,
		isStrong: true,
		busy: "Confirm in your wallet …",
		acts: [isShort ? {
			label: approveLabel,
			do: approve
		} : {
			label: "Send the trade",
			do: send
		}]
	})] });
}
// web/sign/Trade.tsx
/** /sign: one prepared trade in words, as judged in this browser, and what the reader's wallet may do with it. */
function Trade({ link, judge, now }) {
	const [text, setText] = d(null);
	const [fault, setFault] = d("");
	const [ruling, setRuling] = d(null);
	const [by, setBy] = d(null);
	const signer = by?.signer ?? null;
	const failed = (error) => setFault(faultText(error));
	A(() => {
		fetchTrade(link).then(setText).catch(failed);
	}, []);
	A(() => {
		if (text === null) return;
		rulingOn(judge, text, link, signer).then((next) => next !== null && setRuling(next)).catch(failed);
	}, [text, signer]);
	if (fault !== "") return /* @__PURE__ */ a$1("p", {
		class: "fault",
		role: "alert",
		children: fault
	});
	if (text === null || ruling === null) return /* @__PURE__ */ a$1("p", {
		class: "soft",
		children: "Fetching the trade and judging it in this browser …"
	});
	const { judged } = ruling.view;
	const connect = async (wallet) => setBy(await connectFor(wallet, link, judged?.trade.owner));
	return /* @__PURE__ */ a$1("div", {
		class: "sign",
		children: [
			judged === null ? null : /* @__PURE__ */ a$1(TradeInWords, {
				judged,
				ruling,
				now
			}),
			/* @__PURE__ */ a$1(Section, {
				title: "Check it elsewhere",
				hint: "The code of this page is the service's own. To check the trade without trusting it, save the document and open it in the verifier, a file that you can have from elsewhere.",
				children: /* @__PURE__ */ a$1("p", {
					class: "buttons",
					children: [/* @__PURE__ */ a$1("button", {
						type: "button",
						onClick: () => saveFile(`${link.jobId}-${link.version}.json`, text),
						children: "Save the document"
					}), /* @__PURE__ */ a$1("a", {
						href: "/verify.html",
						download: "verify.html",
						children: "Get the verifier"
					})]
				})
			}),
			/* @__PURE__ */ a$1(Wallets, {
				chainId: link.chainId,
				account: by?.account ?? null,
				connect
			}),
			/* @__PURE__ */ a$1("div", {
				class: "judgement",
				children: /* @__PURE__ */ a$1(Section, {
					title: "Judgement",
					children: by === null || ruling.signer !== by.signer ? /* @__PURE__ */ a$1("p", { children: "This browser has judged the evidence again. Connect your wallet: through it this page reads which key the guard trusts, and only a trade that this key signed can be VALID." }) : /* @__PURE__ */ a$1(Judgement, {
						ruling,
						by,
						link,
						now
					})
				})
			}),
			/* @__PURE__ */ a$1(Folded, {
				title: "The whole report, as judged in this browser",
				children: /* @__PURE__ */ a$1(Report, {
					view: ruling.view,
					judged,
					stored: null
				})
			})
		]
	});
}
/** Shown at once, beside what did not pass and the reader's own limits. */
var SHOWN_CHECKS = [
	"premium",
	"impact",
	"reference-age"
];
function TradeInWords({ judged, ruling: { signed, view }, now }) {
	const { trade, event } = judged;
	const shown = judged.findings.filter(({ outcome, check }) => outcome !== "pass" || SHOWN_CHECKS.includes(check) || check.startsWith("limit-"));
	const rows = [["Recipient", trade.recipient === trade.owner ? "the owner" : /* @__PURE__ */ a$1(Stranger, { address: trade.recipient })]];
	if (signed !== null) rows.push(["Ends", /* @__PURE__ */ a$1(Countdown, {
		seconds: signed.endsAt,
		now
	})], ["Exchange contract", /* @__PURE__ */ a$1("code", { children: signed.intent.route })]);
	rows.push(["Guard", named$1(`chain ${event.chainId}`, event.guard)]);
	return /* @__PURE__ */ a$1(Section, {
		title: "One trade for your wallet",
		children: [
			/* @__PURE__ */ a$1("p", {
				class: "sentence",
				children: tradeSentence(trade)
			}),
			/* @__PURE__ */ a$1(Rows, { of: [...tradeRows(judged), ...rows] }),
			/* @__PURE__ */ a$1(Findings, {
				findings: shown,
				isVouched: view.verdict === "VALID"
			})
		]
	});
}
var Stranger = ({ address }) => /* @__PURE__ */ a$1($$1, { children: [
	/* @__PURE__ */ a$1("code", { children: address }),
	" ",
	/* @__PURE__ */ a$1("strong", {
		class: "warned",
		children: "This is not the owner. The holder of this address gets what is bought."
	})
] });
/** @param seconds unix, when it is over */
function Countdown({ seconds, now }) {
	const leftNow = () => seconds - Math.floor(now() / 1e3);
	const [left, setLeft] = d(leftNow);
	A(() => {
		const timer = setInterval(() => setLeft(leftNow()), 1e3);
		return () => clearInterval(timer);
	}, [seconds]);
	return /* @__PURE__ */ a$1("span", {
		class: "number",
		children: [
			left < 0 ? /* @__PURE__ */ a$1("strong", {
				class: "warned",
				children: "over"
			}) : `in ${Math.floor(left / 60)} min ${String(left % 60).padStart(2, "0")} s`,
			" ",
			"(",
			/* @__PURE__ */ a$1(Moment, { seconds }),
			")"
		]
	});
}
function Judgement({ ruling, by, link, now }) {
	const { verdict, judged } = ruling.view;
	const { signed, mayBeSigned } = ruling;
	const isValid = verdict === "VALID";
	const refusal = isValid ? "The document is not the trade that the link names. This page asks your wallet for nothing." : "This page asks your wallet for nothing.";
	return /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1(VerdictBox, {
		view: ruling.view,
		children: isValid ? /* @__PURE__ */ a$1("p", { children: [
			"The guard ",
			link.guard,
			" names the key ",
			by.signer,
			" today, which signed this trade. Only the service's registry states that the token is this stock: compare the token's address with what you have from elsewhere."
		] }) : null
	}), judged !== null && signed !== null && mayBeSigned ? /* @__PURE__ */ a$1(TradeSteps, {
		by,
		link,
		trade: signed,
		view: judged.trade,
		now
	}) : /* @__PURE__ */ a$1("p", {
		class: "fault",
		children: refusal
	})] });
}
// web/pages/Sign.tsx
/** /sign: the reader's wallet signs the one trade that a link names. */
var TITLE = "Sign with your wallet";
var LEAD = "Sign one trade that your agent prepared and sent you a link to. Your wallet is asked for nothing before this page has said in words what it is.";
function signContent({ chainId, guard }) {
	return {
		title: TITLE,
		description: LEAD,
		inEnglish: true,
		islands: ["sign.tsx"],
		main: /* @__PURE__ */ a$1(Island, {
			name: "sign",
			props: {
				chainId,
				guard
			},
			children: /* @__PURE__ */ a$1(SignPage, {
				chainId,
				guard,
				openJudge: null,
				now: () => 0
			})
		})
	};
}
function SignPage({ chainId, guard, openJudge, now }) {
	return /* @__PURE__ */ a$1($$1, { children: [
		/* @__PURE__ */ a$1("h1", { children: TITLE }),
		/* @__PURE__ */ a$1("p", {
			class: "lead soft",
			children: LEAD
		}),
		/* @__PURE__ */ a$1(Section, {
			title: "The contracts",
			hint: "The code of this page is the service's own, and so is what it says here. Compare the guard with what you have from elsewhere, and the call with what your wallet shows.",
			children: /* @__PURE__ */ a$1(Rows, { of: [["Chain", /* @__PURE__ */ a$1("code", { children: chainId })], ["Guard", /* @__PURE__ */ a$1("code", { children: guard })]] })
		}),
		/* @__PURE__ */ a$1("div", {
			class: "signing",
			children: [/* @__PURE__ */ a$1("noscript", { children: /* @__PURE__ */ a$1("p", { children: "Signing on this page needs JavaScript and a wallet in the browser." }) }), openJudge === null ? null : /* @__PURE__ */ a$1(LinkedTrade, {
				chainId,
				guard,
				openJudge,
				now
			})]
		})
	] });
}
/** Which trade, the address says in its fragment, of which the service hears nothing. */
function LinkedTrade({ chainId, guard, openJudge, now }) {
	const hash = useFragment();
	const link = linkIn(hash);
	const isOurs = link !== null && link.guard === guard && link.chainId === chainId;
	const judge = w(() => isOurs ? openJudge() : null, [isOurs]);
	if (link === null) return /* @__PURE__ */ a$1("p", {
		class: "fault",
		children: faultText(new SignFault("badTradeLink"))
	});
	if (!isOurs || judge === null) return /* @__PURE__ */ a$1("p", {
		class: "fault",
		children: faultText(new SignFault("otherTradeGuard", {
			guard: link.guard,
			chainId: link.chainId
		}))
	});
	return /* @__PURE__ */ a$1(Trade, {
		link,
		judge,
		now
	}, hash);
}
/** Another link to the page changes the fragment alone. */
function useFragment() {
	const [hash, setHash] = d(() => location.hash);
	A(() => {
		const read = () => {
			setHash(location.hash);
			for (const other of document.querySelectorAll(".languages a")) other.hash = location.hash;
		};
		read();
		addEventListener("hashchange", read);
		return () => removeEventListener("hashchange", read);
	}, []);
	return hash;
}
var status_default = {
	en: {
		"title": "Status",
		"lead": "Each part as it is at this moment.",
		"allGood": "Everything works.",
		"someBad": "{count} {count:part does|parts do} not work.",
		"now": "Now",
		"part": "Part",
		"state": "State",
		"works": "works",
		"fails": "does not work",
		"unknown": "not known",
		"about": {
			"database": "accepts writes",
			"chain": "its node answers",
			"log": "is signed",
			"signedPrices": "a publisher answers with a price whose signatures hold; without one STRICT_LIVE denies every trade",
			"collector": "ended a round in the last 15 minutes",
			"watcher": "no submitted trade waits more than a minute to be checked",
			"provider": "gave a useful answer within the hour, and none of its figures was excluded in 15 minutes"
		},
		"away": "The database does not answer: the state of the market is unknown.",
		"logTitle": "Decision log",
		"entries": "Entries",
		"signed": "of which signed",
		"checkpoint": "Newest checkpoint",
		"waiting": "Waiting",
		"signer": "Certificates are signed by",
		"next": "Takes over when the guard names it",
		"none": "none yet",
		"tasksTitle": "In the background",
		"tasksLead": "One process runs each task; another takes over within seconds. Last heartbeat:",
		"never": "never",
		"seriesTitle": "Series",
		"kind": "Kind",
		"series": "Series",
		"newest": "Newest sample",
		"oldest": "Of the series that lags most",
		"providers": "Providers, 24 h",
		"provider": "Provider",
		"lastAnswer": "Last useful answer",
		"good": "Answers",
		"failures": "Failures",
		"figuresTitle": "What figures rest on",
		"forAnHour": "For an hour or more",
		"aside": "Excluded, 24 h",
		"reason": "Reason",
		"figures": "Figures",
		"unpriced": "Tokens without a price in the last hour",
		"ago": "{ago} ago",
		"round": "The last round ended {ago} ago and took {took}.",
		"simulated": "The market is simulated: no provider is asked.",
		"more": "and {count} more",
		"pendingTitle": "Scheduled changes of the guard",
		"pendingLead": "They take effect when somebody executes them after this time. A pauser can cancel them until then.",
		"change": "Change",
		"ready": "Ready at",
		"names": {
			"database": "Database",
			"chain": "Chain",
			"log": "Decision log",
			"signedPrices": "Signed prices",
			"collector": "Collector",
			"watcher": "Trade watcher"
		}
	},
	zh: {
		"title": "状态",
		"lead": "各部分此刻的状态。",
		"allGood": "一切正常。",
		"someBad": "{count} 个部分异常。",
		"now": "当前",
		"part": "部分",
		"state": "状态",
		"works": "正常",
		"fails": "异常",
		"unknown": "未知",
		"about": {
			"database": "可以写入",
			"chain": "节点有响应",
			"log": "持续签名",
			"signedPrices": "有发布者给出签名有效的价格；否则 STRICT_LIVE 拒绝所有交易",
			"collector": "最近 15 分钟内完成一轮",
			"watcher": "没有交易逾期一分钟未查",
			"provider": "一小时内有可用响应，15 分钟内没有数据被排除"
		},
		"away": "数据库没有响应：市场状态未知。",
		"logTitle": "决策日志",
		"entries": "条目",
		"signed": "其中已签名",
		"checkpoint": "最新检查点",
		"waiting": "等待中",
		"signer": "证书签名者",
		"next": "守卫指定后接替",
		"none": "尚无",
		"tasksTitle": "后台工作",
		"tasksLead": "每项由一个进程执行，该进程消失后数秒内由另一个接替。最近一次心跳：",
		"never": "从未",
		"seriesTitle": "序列",
		"kind": "种类",
		"series": "序列数",
		"newest": "最新样本",
		"oldest": "最滞后的序列",
		"providers": "数据提供方，24 小时",
		"provider": "提供方",
		"lastAnswer": "最近可用响应",
		"good": "响应",
		"failures": "失败",
		"figuresTitle": "数据的依据",
		"forAnHour": "持续一小时以上",
		"aside": "被排除，24 小时",
		"reason": "原因",
		"figures": "数目",
		"unpriced": "最近一小时没有价格的代币",
		"ago": "{ago}前",
		"round": "上一轮于 {ago}前结束，用时 {took}。",
		"simulated": "市场为模拟：不询问任何提供方。",
		"more": "另有 {count} 个",
		"pendingTitle": "守卫合约的待生效更改",
		"pendingLead": "到达所示时间后，由有权者执行才会生效；在此之前，暂停者可以取消。",
		"change": "更改",
		"ready": "可执行时间",
		"names": {
			"database": "数据库",
			"chain": "区块链",
			"log": "决策日志",
			"signedPrices": "签名价格",
			"collector": "数据采集",
			"watcher": "交易跟踪"
		}
	}
};
// web/pages/Status.tsx
function statusContent(page, { language, simulated }) {
	const words = status_default[language];
	return {
		title: words.title,
		description: words.lead,
		source: "/readyz?verbose",
		main: /* @__PURE__ */ a$1(Status, {
			page,
			isSimulated: simulated
		})
	};
}
function Status({ page, isSimulated }) {
	const words = status_default[useLanguage()];
	const { parts, tasks, changes, market } = page;
	const bad = parts.filter(({ works }) => works === false).length + tasks.filter(({ isAway }) => isAway).length;
	return /* @__PURE__ */ a$1($$1, { children: [
		/* @__PURE__ */ a$1("h1", { children: words.title }),
		/* @__PURE__ */ a$1("p", {
			class: "overall",
			children: [
				/* @__PURE__ */ a$1(Dot, { works: bad === 0 }),
				" ",
				bad === 0 ? words.allGood : filled(words.someBad, { count: bad })
			]
		}),
		/* @__PURE__ */ a$1("p", {
			class: "soft",
			children: /* @__PURE__ */ a$1(Moment, { seconds: page.now })
		}),
		/* @__PURE__ */ a$1(StatusTable, {
			id: "parts",
			title: words.now,
			lead: market === null ? words.away : words.lead,
			heads: [words.part, words.state],
			rows: parts.map(({ name, works }) => [/* @__PURE__ */ a$1(PartName, { name }), /* @__PURE__ */ a$1(State, { works })])
		}),
		/* @__PURE__ */ a$1(DecisionLog, { page }),
		/* @__PURE__ */ a$1(StatusTable, {
			id: "changes",
			title: words.pendingTitle,
			lead: words.pendingLead,
			heads: [words.change, words.ready],
			rows: changes.map(({ call, operation, readyAt }) => [/* @__PURE__ */ a$1($$1, { children: [call, /* @__PURE__ */ a$1("small", { children: operation })] }), /* @__PURE__ */ a$1(Moment, { seconds: readyAt })])
		}),
		/* @__PURE__ */ a$1(Tasks, { tasks }),
		market === null ? null : /* @__PURE__ */ a$1(Market, {
			market,
			isSimulated
		})
	] });
}
/** @param works null: not known */
function Dot({ works }) {
	if (works === null) return /* @__PURE__ */ a$1("span", { class: "dot" });
	return /* @__PURE__ */ a$1("span", { class: works ? "dot good" : "dot bad" });
}
function State({ works }) {
	const words = status_default[useLanguage()];
	const known = works ? words.works : words.fails;
	return /* @__PURE__ */ a$1($$1, { children: [
		/* @__PURE__ */ a$1(Dot, { works }),
		" ",
		works === null ? words.unknown : known
	] });
}
/** @param name `database`, `provider/jupiter` */
function PartName({ name }) {
	const words = status_default[useLanguage()];
	const [kind = "", ...rest] = name.split("/");
	const about = words.about;
	const names = words.names;
	return /* @__PURE__ */ a$1($$1, { children: [rest.length > 0 ? rest.join("/") : names[name] ?? name, /* @__PURE__ */ a$1("small", { children: about[kind] ?? "" })] });
}
function DecisionLog({ page: { log, logFault, signer, nextSigner } }) {
	const language = useLanguage();
	const words = status_default[language];
	const rows = [];
	if (log !== null) rows.push([words.entries, count(log.entries, language)], [words.signed, count(log.signedEntries, language)], [words.checkpoint, agoText(log.signedAgo, language) ?? words.none], [words.waiting, count(log.waiting, language)]);
	rows.push([words.signer, /* @__PURE__ */ a$1("code", { children: signer })]);
	if (nextSigner !== null) rows.push([words.next, /* @__PURE__ */ a$1("code", { children: nextSigner })]);
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "log",
		children: [
			/* @__PURE__ */ a$1("h2", {
				id: "log",
				children: words.logTitle
			}),
			/* @__PURE__ */ a$1(Rows, {
				kind: "inline",
				of: rows
			}),
			logFault === null ? null : /* @__PURE__ */ a$1("p", {
				class: "down",
				children: logFault
			})
		]
	});
}
/** What goes on in the background, and when it was heard of last. */
function Tasks({ tasks }) {
	const language = useLanguage();
	const words = status_default[language];
	if (tasks.length === 0) return null;
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "tasks",
		children: [
			/* @__PURE__ */ a$1("h2", {
				id: "tasks",
				children: words.tasksTitle
			}),
			/* @__PURE__ */ a$1("p", {
				class: "soft",
				children: words.tasksLead
			}),
			/* @__PURE__ */ a$1(Rows, {
				kind: "inline",
				of: tasks.map((task) => [task.name, /* @__PURE__ */ a$1($$1, { children: [
					/* @__PURE__ */ a$1(Dot, { works: !task.isAway }),
					" ",
					agoText(task.ago, language) ?? words.never
				] })])
			})
		]
	});
}
var agoText = (seconds, language) => seconds === null ? null : filled(status_default[language].ago, { ago: ago(seconds, language) });
/** Of hundreds of tokens without a price, so many are named. */
var MOST_NAMED = 60;
var MOST_REASONS = 30;
function Market({ market, isSimulated }) {
	const language = useLanguage();
	const words = status_default[language];
	const { round, series, providers, figures, setAside, unpriced } = market;
	const number = (value) => count(value, language);
	const lead = isSimulated ? [words.simulated] : [];
	if (round !== null) lead.push(filled(words.round, {
		ago: ago(round.endedAgo, language),
		took: ago(round.took, language)
	}));
	const named = unpriced.slice(0, MOST_NAMED).map(({ symbol, chain }) => `${symbol} (${chain})`);
	const rest = unpriced.length - named.length;
	return /* @__PURE__ */ a$1($$1, { children: [
		/* @__PURE__ */ a$1(StatusTable, {
			id: "series",
			title: words.seriesTitle,
			lead: lead.join(" "),
			heads: [
				words.kind,
				words.series,
				words.newest,
				words.oldest
			],
			rows: series.map((each) => [
				each.kind,
				number(each.count),
				agoText(each.newestAgo, language),
				agoText(each.oldestAgo, language)
			])
		}),
		/* @__PURE__ */ a$1(StatusTable, {
			id: "providers",
			title: words.providers,
			heads: [
				words.provider,
				words.lastAnswer,
				words.good,
				words.failures
			],
			rows: providers.map(({ provider, lastSuccessAgo, successes, failures }) => [
				provider,
				agoText(lastSuccessAgo, language) ?? words.none,
				number(successes),
				failuresText(failures, language)
			])
		}),
		/* @__PURE__ */ a$1(StatusTable, {
			id: "figures",
			title: words.figuresTitle,
			heads: [
				words.kind,
				words.state,
				words.figures,
				words.forAnHour
			],
			rows: figures.map((each) => [
				each.kind,
				nameOf("states", each.state, language),
				number(each.count),
				number(each.forAnHour)
			])
		}),
		/* @__PURE__ */ a$1(StatusTable, {
			id: "excluded",
			title: words.aside,
			heads: [
				words.kind,
				words.reason,
				words.figures
			],
			rows: setAside.slice(0, MOST_REASONS).map((each) => [
				each.kind,
				each.reason,
				number(each.count)
			])
		}),
		unpriced.length === 0 ? null : /* @__PURE__ */ a$1("section", {
			"aria-labelledby": "unpriced",
			children: [/* @__PURE__ */ a$1("h2", {
				id: "unpriced",
				children: words.unpriced
			}), /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: [
					named.join(", "),
					" ",
					rest > 0 ? filled(words.more, { count: number(rest) }) : ""
				]
			})]
		})
	] });
}
function failuresText(failures, language) {
	const texts = Object.entries(failures).map(([kind, number]) => `${kind}: ${count(number, language)}`);
	return texts.length === 0 ? "0" : texts.join(", ");
}
/** Nothing where there are no rows. */
function StatusTable({ id, title, lead = "", heads, rows }) {
	if (rows.length === 0) return null;
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": id,
		children: [
			/* @__PURE__ */ a$1("h2", {
				id,
				children: title
			}),
			lead === "" ? null : /* @__PURE__ */ a$1("p", {
				class: "soft",
				children: lead
			}),
			/* @__PURE__ */ a$1(Table, {
				name: heads.join(", "),
				kind: "plain",
				heads,
				rows
			})
		]
	});
}
var token_default = {
	en: {
		"description": "{symbol}: premium over its stock, basis and funding, hour by hour",
		"stock": "Stock",
		"issuer": "Issuer",
		"chain": "Chain",
		"address": "Address",
		"now": {
			"premium": "Premium",
			"edge": "Net edge at $1,000",
			"basis": "Basis",
			"funding": "Funding, annual",
			"none": "no data in these days",
			"perYear": "{percent} % a year"
		},
		"range": "Days shown",
		"days": {
			"1": "1 day",
			"7": "7 days",
			"30": "30 days"
		},
		"unpriced": "This token has no premium here: {reason}.",
		"degraded": "The database does not answer at the moment. This page shows no figures until it does.",
		"empty": "There are no samples in these days.",
		"gaps": "{without} of {all} {all:hour has|hours have} no figure; the line has gaps there.",
		"noGaps": "Every one of the {all} hours has a figure.",
		"premium": {
			"title": "Premium over the stock",
			"about": "What a share costs through the token, above (+) or below (−) the stock's reference price, at the last sample of each hour; the band spans the hour's lowest and highest sample.",
			"chart": "Premium, hour by hour"
		},
		"basis": {
			"title": "Basis and funding",
			"about": "What the perpetual on {venue} costs above (+) or below (−) the spot price, and what holding it long costs in a year at the hour's funding rate.",
			"none": "No venue that is read lists a perpetual of this stock.",
			"chart": "Basis and annual funding, hour by hour"
		},
		"legend": {
			"line": "Close",
			"basis": "Basis",
			"funding": "Funding a year"
		},
		"columns": {
			"time": "UTC",
			"newYork": "New York",
			"premium": "Premium, bps",
			"low": "Low",
			"high": "High",
			"edge": "Net edge",
			"basis": "Basis, bps",
			"funding": "Funding, % a year",
			"session": "Session",
			"source": "Source",
			"reference": "Reference",
			"age": "Its age",
			"samples": "Samples",
			"state": "Sources",
			"spread": "Their spread, bps",
			"hour": "Hour"
		},
		"table": "{shown} {shown:hour|hours}, newest first",
		"data": "Take the data with you",
		"csvPremium": "Premium as CSV",
		"csvBasis": "Basis and funding as CSV"
	},
	zh: {
		"description": "{symbol}：相对股票的溢价、基差与资金费率，逐小时数据",
		"stock": "股票",
		"issuer": "发行方",
		"chain": "链",
		"address": "地址",
		"now": {
			"premium": "溢价",
			"edge": "$1,000 净优势",
			"basis": "基差",
			"funding": "年化资金费率",
			"none": "所选日期内无数据",
			"perYear": "年化 {percent}%"
		},
		"range": "显示天数",
		"days": {
			"1": "1 天",
			"7": "7 天",
			"30": "30 天"
		},
		"unpriced": "此处没有该代币的溢价：{reason}。",
		"degraded": "数据库暂时没有响应，恢复之前本页没有数字。",
		"empty": "所选日期内没有样本。",
		"gaps": "{all} 个小时中有 {without} 个没有数值，折线在这些地方断开。",
		"noGaps": "{all} 个小时全部有数值。",
		"premium": {
			"title": "相对股票的溢价",
			"about": "按代币计算的每股价格高于（+）或低于（−）股票参考价的幅度，取每小时最后一个样本；色带为该小时样本的最低到最高。",
			"chart": "逐小时溢价"
		},
		"basis": {
			"title": "基差与资金费率",
			"about": "{venue} 永续合约高于（+）或低于（−）现货价格的幅度，以及按该小时资金费率持有多头一年的成本。",
			"none": "所读取的交易场所都没有该股票的永续合约。",
			"chart": "逐小时基差与年化资金费率"
		},
		"legend": {
			"line": "收盘",
			"basis": "基差",
			"funding": "年化资金费率"
		},
		"columns": {
			"time": "UTC",
			"newYork": "纽约",
			"premium": "溢价 bps",
			"low": "最低",
			"high": "最高",
			"edge": "净优势",
			"basis": "基差 bps",
			"funding": "资金费率，年化 %",
			"session": "时段",
			"source": "来源",
			"reference": "参考价来源",
			"age": "参考价时长",
			"samples": "样本",
			"state": "来源是否一致",
			"spread": "来源差距 bps",
			"hour": "小时"
		},
		"table": "{shown} 小时，由新到旧",
		"data": "下载数据",
		"csvPremium": "溢价 CSV",
		"csvBasis": "基差与资金费率 CSV"
	}
};
// web/charts/Chart.tsx
/** The place of a chart, of the same height before and after script draws into it. */
function Chart({ draw, ...props }) {
	const place = T(null);
	A(() => {
		if (place.current !== null) return draw?.(place.current, props);
	}, []);
	return /* @__PURE__ */ a$1("div", {
		ref: place,
		class: props.second === void 0 ? "plot" : "plot two",
		role: "img",
		"aria-label": props.label
	});
}
// web/pages/TokenSeries.tsx
/** A token's series: a chart of each by script, and every hour in a table that says the same. */
function Premium({ series }) {
	const language = useLanguage();
	const words = token_default[language];
	const { premium, from, to } = series;
	const hours = (to - from) / 3600;
	const without = hours - premium.filter(({ close }) => close !== null).length;
	const gaps = {
		without: count(without, language),
		all: count(hours, language)
	};
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "premium",
		children: [
			/* @__PURE__ */ a$1("h2", {
				id: "premium",
				children: words.premium.title
			}),
			/* @__PURE__ */ a$1("p", {
				class: "about",
				children: words.premium.about
			}),
			premium.length === 0 ? /* @__PURE__ */ a$1("p", {
				class: "remark",
				children: words.empty
			}) : /* @__PURE__ */ a$1($$1, { children: [
				/* @__PURE__ */ a$1(SessionKey, { hours: premium }),
				/* @__PURE__ */ a$1(TokenChart, {
					...chartOf(series, premium, language),
					label: words.premium.chart,
					line: words.legend.line
				}),
				/* @__PURE__ */ a$1(HourTable, {
					title: words.premium.title,
					hours: premium,
					close: words.columns.premium,
					second: words.columns.edge
				}),
				/* @__PURE__ */ a$1("p", {
					class: "remark",
					children: filled(without === 0 ? words.noGaps : words.gaps, gaps)
				})
			] })
		]
	});
}
function Basis({ series }) {
	const language = useLanguage();
	const words = token_default[language];
	const { venue, basis } = series;
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "basis",
		children: [
			/* @__PURE__ */ a$1("h2", {
				id: "basis",
				children: words.basis.title
			}),
			venue === null ? /* @__PURE__ */ a$1("p", {
				class: "remark",
				children: words.basis.none
			}) : null,
			venue === null ? null : /* @__PURE__ */ a$1("p", {
				class: "about",
				children: filled(words.basis.about, { venue })
			}),
			venue !== null && basis.length === 0 ? /* @__PURE__ */ a$1("p", {
				class: "remark",
				children: words.empty
			}) : null,
			basis.length === 0 ? null : /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1(TokenChart, {
				...chartOf(series, basis, language),
				label: words.basis.chart,
				line: words.legend.basis,
				second: {
					name: words.legend.funding,
					values: basis.map(({ second }) => figure(second))
				}
			}), /* @__PURE__ */ a$1(HourTable, {
				title: words.basis.title,
				hours: basis,
				close: words.columns.basis,
				second: words.columns.funding,
				isPercent: true
			})] })
		]
	});
}
/** Drawn by script; the table below says the same. */
function TokenChart(props) {
	return /* @__PURE__ */ a$1(Island, {
		name: "token",
		props,
		children: /* @__PURE__ */ a$1(Chart, {
			...props,
			draw: null
		})
	});
}
var figure = (text) => text === null ? null : Number(text);
function chartOf({ from, to }, hours, language) {
	const words = token_default[language];
	return {
		language,
		from,
		to,
		time: words.columns.hour,
		low: words.columns.low,
		high: words.columns.high,
		hours: hours.map(({ hour }) => hour),
		values: hours.map(({ close }) => figure(close)),
		lows: hours.map(({ low }) => figure(low)),
		highs: hours.map(({ high }) => figure(high)),
		sessions: spansOf(hours)
	};
}
/** Sessions that are shaded. What a provider calls otherwise is none. */
var SHADED = MARKET_SESSIONS.filter((name) => name !== "regular");
/** Stretches of one session. */
function spansOf(hours) {
	const spans = [];
	for (const { hour, session } of hours) {
		const last = spans[spans.length - 1];
		if (last?.name === session && last.to === hour) last.to = hour + 3600;
		else spans.push({
			name: session,
			from: hour,
			to: hour + 3600
		});
	}
	return spans.filter(({ name }) => SHADED.includes(name));
}
/** What the shades behind the line mean. */
function SessionKey({ hours }) {
	const language = useLanguage();
	const names = SHADED.filter((name) => hours.some(({ session }) => session === name));
	if (names.length === 0) return null;
	return /* @__PURE__ */ a$1("p", {
		class: "legend",
		children: names.map((name) => /* @__PURE__ */ a$1("span", { children: [/* @__PURE__ */ a$1("i", { class: `key-${name}` }), nameOf("sessions", name, language)] }))
	});
}
/** Every hour, the newest first. */
function HourTable({ title, hours, close, second, isPercent = false }) {
	const language = useLanguage();
	const words = token_default[language];
	const { columns } = words;
	const secondText = (text) => {
		if (text === null) return "–";
		return isPercent ? signedPercent(Number(text)) : bps(Number(text));
	};
	return /* @__PURE__ */ a$1(Table, {
		name: `${title}: ${filled(words.table, { shown: count(hours.length, language) })}`,
		kind: "hours",
		heads: [
			/* @__PURE__ */ a$1("span", {
				"data-zone": true,
				children: columns.time
			}),
			columns.newYork,
			close,
			columns.low,
			columns.high,
			second,
			columns.session,
			columns.source,
			columns.reference,
			columns.age,
			columns.samples,
			columns.state,
			columns.spread
		],
		figures: [
			2,
			3,
			4,
			5,
			9,
			10,
			12
		],
		rows: hours.toReversed().map((hour) => [
			/* @__PURE__ */ a$1(HourTime, { seconds: hour.hour }),
			hourText(hour.hour * 1e3, {
				language,
				zone: "America/New_York"
			}),
			bps(figure(hour.close)),
			bps(figure(hour.low)),
			bps(figure(hour.high)),
			secondText(hour.second),
			nameOf("sessions", hour.session, language),
			hour.source,
			hour.reference?.replaceAll(",", ", ") ?? "–",
			ago(hour.age, language),
			count(hour.samples, language),
			standing(hour, language) || "–",
			figure(hour.spread)?.toFixed(1) ?? "–"
		])
	});
}
// web/pages/Token.tsx
/** A token over time: its newest figures, charts, and every hour in a table. */
var DAYS = [
	1,
	7,
	30
];
function tokenContent(page, { language }) {
	const { token, days } = page;
	return {
		title: `${token.symbol}, ${language === "zh" ? token.nameCn : token.nameEn}`,
		description: filled(token_default[language].description, { symbol: token.symbol }),
		islands: ["token.tsx"],
		source: dataPath("premium", token, days),
		main: /* @__PURE__ */ a$1(TokenMain, { page })
	};
}
function TokenMain({ page: { token, unpriced, days, series } }) {
	const words = token_default[useLanguage()];
	return /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1(TokenHead, {
		token,
		unpriced
	}), series === null ? /* @__PURE__ */ a$1("p", {
		class: "remark",
		children: words.degraded
	}) : /* @__PURE__ */ a$1($$1, { children: [
		/* @__PURE__ */ a$1(KeyFigures, { series }),
		/* @__PURE__ */ a$1(RangeLinks, {
			path: token.path,
			days
		}),
		/* @__PURE__ */ a$1(Premium, { series }),
		/* @__PURE__ */ a$1(Basis, { series }),
		/* @__PURE__ */ a$1(Data, {
			token,
			days,
			venue: series.venue
		})
	] })] });
}
function TokenHead({ token, unpriced }) {
	const language = useLanguage();
	const words = token_default[language];
	return /* @__PURE__ */ a$1("div", {
		class: "token-head",
		children: [
			/* @__PURE__ */ a$1("h1", { children: [
				token.symbol,
				" ",
				/* @__PURE__ */ a$1("span", {
					class: "soft",
					children: language === "zh" ? token.nameCn : token.nameEn
				})
			] }),
			/* @__PURE__ */ a$1(Rows, {
				kind: "inline",
				of: [
					[words.stock, token.underlying],
					[words.issuer, nameOf("issuers", token.issuer, language)],
					[words.chain, nameOf("chains", token.chain, language)],
					[words.address, /* @__PURE__ */ a$1("code", { children: token.address })]
				]
			}),
			unpriced === null ? null : /* @__PURE__ */ a$1("p", {
				class: "remark",
				children: filled(words.unpriced, { reason: unpriced })
			})
		]
	});
}
/** The newest figure of each series. */
function KeyFigures({ series: { premium, basis } }) {
	const { now } = token_default[useLanguage()];
	const percent = (text) => filled(now.perYear, { percent: signedPercent(Number(text)) });
	const inBps = (text) => `${bps(Number(text))} bps`;
	const premiumHour = premium.findLast(({ close }) => close !== null);
	const edgeHour = premium.findLast(({ second }) => second !== null);
	const basisHour = basis.findLast(({ close }) => close !== null);
	const fundingHour = basis.findLast(({ second }) => second !== null);
	return /* @__PURE__ */ a$1(Rows, {
		kind: "figures",
		of: [
			[now.premium, /* @__PURE__ */ a$1(Newest, {
				hour: premiumHour,
				figure: premiumHour?.close,
				textOf: inBps
			})],
			[now.edge, /* @__PURE__ */ a$1(Newest, {
				hour: edgeHour,
				figure: edgeHour?.second,
				textOf: inBps
			})],
			[now.basis, /* @__PURE__ */ a$1(Newest, {
				hour: basisHour,
				figure: basisHour?.close,
				textOf: inBps
			})],
			[now.funding, /* @__PURE__ */ a$1(Newest, {
				hour: fundingHour,
				figure: fundingHour?.second,
				textOf: percent,
				isSecond: true
			})]
		]
	});
}
function Newest({ hour, figure = null, textOf, isSecond = false }) {
	const language = useLanguage();
	if (hour === void 0 || figure === null) return /* @__PURE__ */ a$1($$1, { children: ["–", /* @__PURE__ */ a$1("small", { children: token_default[language].now.none })] });
	const { halted, state, secondState } = hour;
	return /* @__PURE__ */ a$1($$1, { children: [textOf(figure), /* @__PURE__ */ a$1("small", { children: [/* @__PURE__ */ a$1(HourSpan, { seconds: hour.hour }), ` · ${standing({
		state: isSecond ? secondState : state,
		halted
	}, language)}`] })] });
}
/** `22 Nov, 10:00 to 11:00 UTC, 05:00 New York`. @param seconds unix */
function HourSpan({ seconds }) {
	const language = useLanguage();
	const ms = seconds * 1e3;
	return /* @__PURE__ */ a$1($$1, { children: [/* @__PURE__ */ a$1("time", {
		dateTime: `${new Date(ms).toISOString().slice(0, 16)}Z`,
		"data-time": "span",
		children: `${hourSpanText(ms, {
			language,
			zone: "UTC"
		})} UTC`
	}), `, ${newYorkText(ms, language)}`] });
}
function RangeLinks({ path, days }) {
	const reader = j(ReaderContext);
	const words = token_default[reader.language];
	return /* @__PURE__ */ a$1("nav", {
		class: "range",
		"aria-label": words.range,
		children: DAYS.map((each) => /* @__PURE__ */ a$1("a", {
			href: pathFor(reader, `${path}${path.includes("?") ? "&" : "?"}days=${each}`),
			"aria-current": each === days ? "true" : void 0,
			children: words.days[each]
		}))
	});
}
var dataPath = (kind, { address }, days) => `/api/${kind}/history?address=${address}&days=${days}`;
function Data({ token, days, venue }) {
	const words = token_default[useLanguage()];
	const premium = dataPath("premium", token, days);
	const basis = `${dataPath("basis", token, days)}${venue === null ? "" : `&venue=${venue}`}`;
	return /* @__PURE__ */ a$1("section", {
		"aria-labelledby": "data",
		children: [/* @__PURE__ */ a$1("h2", {
			id: "data",
			children: words.data
		}), /* @__PURE__ */ a$1("ul", {
			class: "links",
			children: [
				/* @__PURE__ */ a$1("li", { children: /* @__PURE__ */ a$1("a", {
					href: `${premium}&format=csv`,
					children: words.csvPremium
				}) }),
				/* @__PURE__ */ a$1("li", { children: /* @__PURE__ */ a$1("a", {
					href: `${basis}&format=csv`,
					children: words.csvBasis
				}) }),
				[premium, basis].map((path) => /* @__PURE__ */ a$1("li", { children: /* @__PURE__ */ a$1("a", {
					href: path,
					children: /* @__PURE__ */ a$1("code", { children: path })
				}) }))
			]
		})]
	});
}
// web/server.tsx
/** The renderer of all pages: plain values in, a whole document out. `api/pages` loads it as `web/dist/server/server.js`. */
/** What comes from outside may turn the direction of writing around, or hide: no page obeys it. */
var render = (page, frame) => {
	return `<!doctype html>${z$1(/* @__PURE__ */ a$1(Document, {
		content: contentOf(printableAll(page), frame),
		frame
	}))}\n`;
};
function contentOf(page, frame) {
	switch (page.name) {
		case "market": return marketContent(page, frame);
		case "token": return tokenContent(page, frame);
		case "report": return reportContent(page);
		case "status": return statusContent(page, frame);
		case "sign": return signContent(page);
		case "docs": return docsContent(page);
		case "refused": return refusedContent(page, frame);
	}
}
export { render };
