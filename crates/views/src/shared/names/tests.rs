//! Names that compilers made, with what is left of them.

use parascan_formats::names::demangle;
use proptest::prelude::*;

use super::*;

/// Symbols of a C++ program with libstdc++ (clang 22), of jsonnet, and of parascan itself (rustc), and what people
/// read.
const SYMBOLS: [(&str, &str); 52] = [
    ("main", "main"),
    ("_Z10overloadedi", "overloaded"),
    ("_Z5applyIZ4mainE3$_2EiT_i", "apply<main::$_2>"),
    (
        "_Z5buildRKSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EESt8functionIFiRKS5_EE",
        "build",
    ),
    ("_Z5fixedILi4ELb1EEiRAT__i", "fixed<4, true>"),
    ("_ZN12_GLOBAL__N_16Hidden3runEi", "Hidden::run"),
    ("_ZN3MemdlEPv", "Mem::operator delete"),
    ("_ZN3MemnwEm", "Mem::operator new"),
    ("_ZN3geo5PointIdEclEdd", "geo::Point<double>::operator()"),
    ("_ZN3geo5PointIdEixEi", "geo::Point<double>::operator[]"),
    ("_ZN3geo5PointIdEptEv", "geo::Point<double>::operator->"),
    ("_ZN3geolsERSoRKNS_5PointIdEE", "geo::operator<<"),
    (
        "_ZNK3geo5PointIdE2toIiEENS0_IT_EEv",
        "geo::Point<double>::to<int>",
    ),
    (
        "_ZNK3geo5PointIdEcvNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEv",
        "geo::Point<double>::operator std::string",
    ),
    (
        "_ZNK3geo5PointIdEcvbEv",
        "geo::Point<double>::operator bool",
    ),
    ("_ZNK3geo5PointIdEltERKS1_", "geo::Point<double>::operator<"),
    ("_ZNK3geo5PointIdEplERKS1_", "geo::Point<double>::operator+"),
    (
        "_ZNKSt3setINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE3CmpSaIS5_EE4sizeEv",
        "std::set<std::string, Cmp>::size",
    ),
    (
        "_ZNKSt10unique_ptrIN12_GLOBAL__N_16HiddenESt14default_deleteIS1_EE3getEv",
        "std::unique_ptr<Hidden>::get",
    ),
    (
        "_ZNKSt10unique_ptrIN12_GLOBAL__N_16HiddenESt14default_deleteIS1_EEptEv",
        "std::unique_ptr<Hidden>::operator->",
    ),
    (
        "_ZNKSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES5_St9_IdentityIS5_E3CmpSaIS5_EE4sizeEv",
        "std::_Rb_tree<std::string, std::string, Cmp>::size",
    ),
    (
        "_ZNK3CmpclERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES7_",
        "Cmp::operator()",
    ),
    (
        "_ZNKSt9_Any_data9_M_accessIZ4mainE3$_1EERKT_v",
        "std::_Any_data::_M_access<main::$_1>",
    ),
    (
        "_ZN9__gnu_cxx5__ops15_Iter_comp_iterIZ4mainE3$_0EC2ES2_",
        "__gnu_cxx::__ops::_Iter_comp_iter<…>::_Iter_comp_iter",
    ),
    (
        "_ZNSt11_Deque_baseIN3geo5PointIdEESaIS2_EE17_M_initialize_mapEm",
        "std::_Deque_base<geo::Point<double>>::_M_initialize_map",
    ),
    (
        "_ZSt4sortIN9__gnu_cxx17__normal_iteratorIPNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIS7_SaIS7_EEEEZ4mainE3$_0EvT_SD_T0_",
        "std::sort<__gnu_cxx::__normal_iterator<…>, main::$_0>",
    ),
    (
        "_ZNSt8_Rb_treeINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_8BinaryOpESt10_Select1stIS9_ESt4lessIS5_ESaIS9_EE8_M_eraseEPSt13_Rb_tree_nodeIS9_E",
        "std::_Rb_tree<std::string, std::pair<…>>::_M_erase",
    ),
    (
        "_ZNSt6vectorI11ObjectFieldSaIS0_EE17_M_realloc_insertIJRKS0_EEEvN9__gnu_cxx17__normal_iteratorIPS0_S2_EEDpOT_",
        "std::vector<…>::_M_realloc_insert<…>",
    ),
    ("_ZN14LiteralBooleanD0Ev", "LiteralBoolean::~LiteralBoolean"),
    (
        "_ZN17FixTrailingCommas9fix_commaERSt6vectorI13FodderElementSaIS1_EERbS4_",
        "FixTrailingCommas::fix_comma",
    ),
    (
        "_ZN9Allocator5cloneI11LiteralNullEEPT_S3_",
        "Allocator::clone<LiteralNull>",
    ),
    (
        "_ZN12_GLOBAL__N_111Interpreter10builtinMd5ERK13LocationRangeRKSt6vectorINS_5ValueESaIS5_EE",
        "Interpreter::builtinMd5",
    ),
    (
        "_ZN13UStringStreamlsERKNSt7__cxx1112basic_stringIDiSt11char_traitsIDiESaIDiEEE",
        "UStringStream::operator<<",
    ),
    ("_ZSt5fixedRSt8ios_base", "std::fixed"),
    (
        "_ZN8nlohmann6detail9exception4nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi",
        "nlohmann::detail::exception::name",
    ),
    (
        "_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEE6appendEPKw",
        "std::wstring::append",
    ),
    (
        "_ZNSt7__cxx1112basic_stringIDiSt11char_traitsIDiESaIDiEE10_M_replaceEmmPKDim",
        "std::u32string::_M_replace",
    ),
    (
        "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev",
        "std::stringstream::basic_stringstream",
    ),
    // Rust.
    (
        "_ZN4core3ptr65drop_in_place$LT$alloc..vec..Vec$LT$alloc..string..String$GT$$GT$17h9afafa231d818948E",
        "core::ptr::drop_in_place<Vec<String>>",
    ),
    (
        "_ZN8parascan3ilp6config6Config3new17hb77b1b3f686e5a9bE",
        "parascan::ilp::config::Config::new",
    ),
    (
        "_ZN111_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$alloc..vec..spec_from_iter_nested..SpecFromIterNested$LT$T$C$I$GT$$GT$9from_iter17hcf4c93551831d168E",
        "<Vec<T> as SpecFromIterNested<T,I>>::from_iter",
    ),
    (
        "_ZN97_$LT$toml..de..deserializer..value..ValueDeserializer$u20$as$u20$serde_core..de..Deserializer$GT$18deserialize_struct17ha19a0351d03d3d8eE",
        "<ValueDeserializer as Deserializer>::deserialize_struct",
    ),
    (
        "_ZN108_$LT$alloc..collections..btree..map..Iter$LT$K$C$V$GT$$u20$as$u20$core..iter..traits..iterator..Iterator$GT$4next17h1ebe59da79f233b4E",
        "<Iter<K,V> as Iterator>::next",
    ),
    (
        "_ZN17parascan_analysis5class1_93_$LT$impl$u20$serde_core..de..Deserialize$u20$for$u20$parascan_analysis..class..ClassRule$GT$11deserialize17hdaa6a722bea64753E",
        "…::class::_::<impl Deserialize for ClassRule>::deserialize",
    ),
    (
        "_ZN10serde_json2de21Deserializer$LT$R$GT$7end_map17h136e0e6fa3f5809eE",
        "serde_json::de::Deserializer<R>::end_map",
    ),
    (
        "_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$17h4dd604f9cc38f55bE",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
    ),
    (
        "_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h431907725689b9ebE",
        "alloc::raw_vec::RawVec<T,A>::grow_one",
    ),
    (
        "_ZN4core3ptr103drop_in_place$LT$$u5b$indexmap..Bucket$LT$alloc..string..String$C$serde_json..value..Value$GT$$u5d$$GT$17habd92659331ed6a9E",
        "core::ptr::drop_in_place<[Bucket<String,Value>]>",
    ),
    (
        "_RNvXs3_NtCsjrHSEGnQ3l9_3std4timeNtB5_7InstantNtNtNtCsgEmfK2I1SDS_4core3ops5arith3Sub3sub",
        "<Instant as Sub>::sub",
    ),
    (
        "_ZN86_$LT$cranelift_assembler_x64..inst..adcl_mr$LT$R$GT$$u20$as$u20$core..fmt..Display$GT$3fmt17h9fc8362756971a20E",
        "<adcl_mr<R> as Display>::fmt",
    ),
    (
        "_ZN102_$LT$core..iter..adapters..map..Map$LT$I$C$F$GT$$u20$as$u20$core..iter..traits..iterator..Iterator$GT$4fold17haba2c32ec80c6a06E",
        "<Map<I,F> as Iterator>::fold",
    ),
    // Fortran.
    ("_QMsolverPfib", "solver::fib"),
];

#[test]
fn symbols_are_readable() {
    let wrong: Vec<String> = SYMBOLS
        .iter()
        .filter(|(symbol, expected)| short(&demangle(symbol)) != *expected)
        .map(|(symbol, expected)| {
            let whole = demangle(symbol);
            format!("{whole}\n  is      {}\n  and not {expected}", short(&whole))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names as demanglers write them, which symbols above do not have.
#[test]
fn whole_names_are_readable() {
    for (whole, expected) in [
        (
            "Desugarer::stdlibAST(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)::{lambda(DesugaredObject::Field const&)#1}::operator()(DesugaredObject::Field const&) const",
            "Desugarer::stdlibAST::{lambda#1}::operator()",
        ),
        (
            "a::f(int) const::{lambda()#2}::operator()() const",
            "a::f::{lambda#2}::operator()",
        ),
        ("operator<< <int>(std::ostream&, int)", "operator<< <int>"),
        (
            "bool operator==<int>(A<int> const&, int) const &",
            "operator==<int>",
        ),
        (
            "std::__1::vector<int, std::__1::allocator<int> >::push_back(int&&)",
            "std::vector<int>::push_back",
        ),
        (
            "std::map<int, char, std::less<int>, std::allocator<std::pair<int const, char> > >::at(int const&)",
            "std::map<int, char>::at",
        ),
        (
            "std::map<int, char, std::greater<int>, std::allocator<std::pair<int const, char> > >::at(int const&)",
            "std::map<int, char, std::greater<int>>::at",
        ),
        (
            "std::unordered_map<int, char, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, char> > >::find(int const&)",
            "std::unordered_map<int, char>::find",
        ),
        (
            "std::vector<bool, std::allocator<bool> >::operator[](unsigned long)",
            "std::vector<bool>::operator[]",
        ),
        (
            "std::allocator<int>::allocator()",
            "std::allocator<int>::allocator",
        ),
        ("f[abi:cxx11](int)", "f"),
        ("f(int) [clone .part.0]", "f"),
        ("compress.constprop.0.isra.1", "compress"),
        ("__cxx_global_var_init.4", "__cxx_global_var_init.4"),
        (
            "unsigned long f<unsigned long>(unsigned long)",
            "f<unsigned long>",
        ),
        (
            "(anonymous namespace)::Value (anonymous namespace)::make<(anonymous namespace)::X>(int)",
            "make<X>",
        ),
        ("operator new(unsigned long)", "operator new"),
        (
            "alloc::vec::Vec<T,A>::push::h0123456789abcdef",
            "alloc::vec::Vec<T,A>::push",
        ),
        (
            "core[0123456789abcdef]::fmt::Formatter::pad",
            "core::fmt::Formatter::pad",
        ),
        ("<alloc::vec::Vec<u8>>::push", "alloc::vec::Vec<u8>::push"),
        ("<[T] as foo::Bar>::f", "<[T] as Bar>::f"),
        ("demo::main::{{closure}}", "demo::main::{{closure}}"),
        ("demo::main::{closure#0}", "demo::main::{closure#0}"),
        // What is no name of a function stays as it is.
        ("", ""),
        ("(indirect)", "(indirect)"),
        ("(anonymous namespace)", "(anonymous namespace)"),
        ("a < b", "a < b"),
        ("f(", "f("),
        (")(", ")("),
    ] {
        assert_eq!(short(whole), expected, "{whole}");
    }
}

#[test]
fn overloads_keep_their_parameters() {
    let all = [
        "f(int)",
        "f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
        "g(int)",
        "A::h() const",
        "A::h()",
        "int k<int>(int)",
        "long k<int>(int)",
    ];
    let names = ShortNames::new(all);
    let of: Vec<String> = all.iter().map(|name| names.of(name)).collect();
    assert_eq!(
        of,
        [
            "f(int)",
            "f(std::string const&)",
            "g",
            "A::h() const",
            "A::h()",
            "int k<int>(int)",
            "long k<int>(int)"
        ]
    );
}

#[test]
fn names_fit() {
    let name = "a::vector<b::pair<c::d, e>>::push_back(int)";
    for (columns, expected) in [
        (43, name),
        (42, "a::vector<b::pair<…>>::push_back(int)"),
        (36, "a::vector<…>::push_back(int)"),
        (27, "a::vector<…>::push_back(…)"),
        (25, "…::push_back(…)"),
        (14, "push_back(…)"),
        (5, "pu……)"),
        (1, "…"),
    ] {
        let of = fitted(name, columns);
        assert!(of.width() <= columns, "{of}");
        assert_eq!(of, expected, "{columns}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_string_is_too_odd(name in "([a-z<>(){}\\[\\],:&* -]|operator|::|std::|allocator<|basic_string<|char| const|lambda|#1|\\PC){0,40}", columns in 1usize..80) {
        let of = short(&name);
        prop_assert_eq!(&of, &short(&name));
        prop_assert!(of.width() <= name.width().clamp(1, MOST) || of == name, "{} {}", of, name);
        prop_assert!(fitted(&name, columns).width() <= columns);
        let names = ShortNames::new([name.as_str(), "f(int)", "f(long)"]);
        prop_assert!(names.of(&name).width() <= MOST.max(1));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn long_and_deep_names_take_no_time(open in "[<(\\[{]", depth in 0usize..60_000) {
        let name = format!("a{}b", open.repeat(depth));
        prop_assert!(short(&name).width() <= MOST);
        let closed = name + &match open.as_str() { "<" => ">", "(" => ")", "[" => "]", _ => "}" }.repeat(depth);
        prop_assert!(short(&closed).width() <= MOST);
    }
}
